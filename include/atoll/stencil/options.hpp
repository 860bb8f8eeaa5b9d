// Options of a stencil program. The applications also offer them on their command lines
// (cli_options.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "atoll/stencil/range.hpp"

namespace Atoll::stencil {

/// Execution modes of queued loops.
enum class Mode {
  tiled,    ///< as a chain cut into tiles; each tile runs its part of all loops in order
  untiled,  ///< one loop after the other
  checked,  ///< one loop after the other on one thread; compares what the loops declare with what
            ///< their kernels access
};

/// Size of a tile in points, in x, y and z. 0 means chosen by the library.
struct TileSize {
  std::array<int, kMaxDimensions> points{0, 0, 0};
  /// True if no size was given: the library chooses all of them.
  [[nodiscard]] bool chosen() const { return points == std::array{0, 0, 0}; }
  friend bool operator==(const TileSize&, const TileSize&) = default;
};

/// A machine for which a program's time is predicted.
struct Prediction {
  std::uint64_t fast_bytes = 0;      ///< size of fast memory
  double fast_bytes_per_second = 0;  ///< its bandwidth
  double link_bytes_per_second = 0;  ///< between slow and fast memory, in each direction
};

/// Optimisations of streaming [out-of-core §4.1] that a measurement turns off.
struct Without {
  bool read_only = false;    ///< data that are only read are written back, too
  bool write_first = false;  ///< data that are written first are read, too
  bool cyclic = false;       ///< Mesh::cyclic() has no effect
  bool prefetch = false;     ///< the data of a chain's first tile are read when the chain begins
  bool summary = false;      ///< for programs: the loops of a summary are a chain of their own
  friend bool operator==(const Without&, const Without&) = default;
};

/// Options of a Program.
struct Options {
  int threads = 0;  ///< 0 means one for each core
  Mode mode = Mode::tiled;
  /// If not given, chosen from the caches, fields and loops. The first chains of a program may try
  /// several sizes; the fastest one is kept.
  TileSize tile = {};
  /// Memory that fields may take, in bytes; 0 means as much as is available. Fields that don't fit
  /// are kept in a file, and streamed through this memory.
  std::uint64_t budget = 0;
  /// Folder of that file; empty: fields that don't fit are refused.
  std::string home = {};
  /// Instead of a folder: fast memory for these fields, a tier such as "hbm" or a list of nodes
  /// such as "2-3". Fields that don't fit are kept on the other nodes.
  std::string fast = {};
  Without without = {};
  /// If set, chains are planned and their time on this machine is predicted: fields have no memory,
  /// kernels don't run, reductions have the value of no points, and fields can't be accessed.
  std::optional<Prediction> prediction = {};
  /// Measures each loop's time for Program::report(). Costs about 50 ns per loop and tile.
  bool report = false;
};

/// Returns "tiled", "untiled" or "checked".
[[nodiscard]] std::string_view to_string(Mode mode);
/// Inverse of to_string(). Throws Error (input), naming `where`, for any other word.
[[nodiscard]] Mode mode_from_text(std::string_view text, std::string_view where);
/// Reads a bandwidth such as "470GB/s", in bytes per second. Throws Error (input), naming `where`,
/// for anything else.
[[nodiscard]] double bandwidth_from_text(std::string_view text, std::string_view where);
/// Reads a list of "read-only", "write-first", "cyclic", "prefetch" and "summary", separated by
/// commas. Throws Error (input), naming `where`, for any other word.
[[nodiscard]] Without without_from_text(std::string_view text, std::string_view where);
/// Returns for example "480x16" or "allx16"; "chosen" if no size is given.
[[nodiscard]] std::string to_string(const TileSize& tile);
/// Reads "480", "480x16", "480x16x8" or "allx16". Dimensions that are "all" or missing aren't cut.
/// Throws Error (input), naming `where`, for anything else and for a size of 0.
[[nodiscard]] TileSize tile_from_text(std::string_view text, std::string_view where);

}  // namespace Atoll::stencil
