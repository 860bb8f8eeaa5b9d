// CloverLeaf's input decks (clover.in): their content, and a parser that reports each mistake in
// one clear line.
#pragma once

#include <atoll/base/error.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clover {

/// Region of a state: the first state is everywhere; others are in a box (rectangle, cuboid), a
/// ball (circle, sphere), or the one cell whose first corner is a point. As in the original, `low`
/// is shifted by a hundredth of a cell into the mesh for all of them.
enum class Geometry { everywhere, box, ball, point };

/// Initial state of the gas in a part of the mesh.
struct State {
  double density = 0, energy = 0;
  std::array<double, 3> velocity{};
  Geometry geometry = Geometry::everywhere;
  std::array<double, 3> low{}, high{};  ///< bounds of the box; `low` is also the centre of the
                                        ///< ball, and the point; 0 if the deck doesn't set it
  double radius = 0;
};

/// A deck; initially the defaults of the format.
struct Deck {
  int dimensions = 2;
  std::array<std::uint64_t, 3> cells{10, 10, 10};  ///< the last one is 1 in 2D
  std::array<double, 3> low{0, 0, 0}, high{100, 100, 100};
  double initial_timestep = 0.1, max_timestep = 1.0, timestep_rise = 1.5;
  double end_time = 10;
  std::uint64_t end_step = UINT64_MAX;
  std::uint64_t summary_frequency = 10, visit_frequency = 0;  ///< interval in steps; 0 means none
  std::optional<int> test_problem;                            ///< 1 is the first reference problem
  std::vector<State> states;

  [[nodiscard]] double cell_size(int axis) const {
    return (high[axis] - low[axis]) / static_cast<double>(cells[axis]);
  }
};

/// Maximum cells per dimension: 2^40.
inline constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 40;

/// Parses the text of a deck for 2 or 3 dimensions; `where` is its name in errors, "NAME:LINE: …".
/// Throws Error (input) if it isn't a valid deck.
[[nodiscard]] Deck parse_deck(std::string_view text, const std::string& where, int dimensions);

/// Reads the file of a deck. Throws Error (input) if it can't be read or isn't a valid deck.
[[nodiscard]] Deck read_deck(const std::string& path, int dimensions);

}  // namespace clover
