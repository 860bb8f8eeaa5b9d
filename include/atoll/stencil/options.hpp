// What a person can tell a program of stencils. The applications have these as options of their
// command lines, too (cli_options.hpp).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "atoll/stencil/range.hpp"

namespace Atoll::stencil {

/// How queued loops are run.
enum class Mode {
  tiled,    ///< as a chain, cut into tiles that run all its loops one after the other
  untiled,  ///< loop after loop
  checked,  ///< loop after loop by one thread, and what the loops declare is compared with what
            ///< their kernels do
};

/// The points of a tile in x, y and z. 0: chosen.
struct TileSize {
  std::array<int, kMaxDimensions> points{0, 0, 0};
  /// True if nothing is given.
  [[nodiscard]] bool chosen() const { return points == std::array{0, 0, 0}; }
  friend bool operator==(const TileSize&, const TileSize&) = default;
};

/// What a program is told.
struct Options {
  int threads = 0;  ///< 0: one for each core
  Mode mode = Mode::tiled;
  /// Not given: chosen from the machine's caches, fields and loops. The first chains of a program
  /// may try some, and the best one stays.
  TileSize tile = {};
  /// Counts each loop's time, for Program::report(). It costs some 50 ns for a loop in a tile.
  bool report = false;
};

/// "tiled", "untiled", "checked".
[[nodiscard]] std::string_view to_string(Mode mode);
/// Throws Error (input), naming `where`, for another word.
[[nodiscard]] Mode mode_from_text(std::string_view text, std::string_view where);
/// "480x16", "allx16"; "chosen" for none.
[[nodiscard]] std::string to_string(const TileSize& tile);
/// Reads "480", "480x16", "480x16x8" or "allx16". Dimensions with "all", and those that aren't
/// given, aren't cut. Throws Error (input), naming `where`, for anything else and for a size of 0.
[[nodiscard]] TileSize tile_from_text(std::string_view text, std::string_view where);

}  // namespace Atoll::stencil
