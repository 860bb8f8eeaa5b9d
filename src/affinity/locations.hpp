// Converts the lines that tasks use to locations: adjacent units with the same tasks become one
// location.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "affinity/task_lines.hpp"
#include "atoll/affinity/recorded_tasks.hpp"

namespace Atoll::affinity {

/// The tasks of each location, in CSR form by location.
struct Locations {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> tasks;    ///< ascending in each location
  std::vector<std::uint32_t> sizes;    ///< size of each location, in words, lines or pages
  std::vector<std::uint32_t> weights;  ///< the size, or more if tasks write to the location

  /// Adds the next word, line or page: `sharers` use it, and its weight is `weight`. Extends the
  /// last location if that is adjacent (`is_adjacent`) and has the same weight per unit and the
  /// same tasks; else adds a location.
  void add(std::span<const std::uint32_t> sharers, std::uint32_t weight, bool is_adjacent);
};

/// Returns the locations of lines that are sorted as by TaskLines. A location that a task writes to
/// has `write_weight` times its weight.
[[nodiscard]] Locations locations_of(std::span<const TaskLine> lines, LocationSize by,
                                     std::uint32_t write_weight = 1);

/// Returns the transpose: the locations of each of `tasks` tasks, ascending.
[[nodiscard]] TaskLocations by_task(const Locations& locations, std::uint32_t tasks);

}  // namespace Atoll::affinity
