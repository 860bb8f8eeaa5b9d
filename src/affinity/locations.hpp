// From the lines that tasks use to locations: ranges that the same tasks use become one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "affinity/task_lines.hpp"
#include "atoll/affinity/recorded_tasks.hpp"

namespace Atoll::affinity {

/// Which tasks use which locations, as CSR by location.
struct Locations {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> tasks;    ///< ascending within a location
  std::vector<std::uint32_t> sizes;    ///< words, lines or pages of a location
  std::vector<std::uint32_t> weights;  ///< a size, or more of what is written

  /// `sharers` use the next word, line or page, which counts `weight` times: a further location, or
  /// more of the last one if that is beside it, counts as much, and the same tasks use it.
  void add(std::span<const std::uint32_t> sharers, std::uint32_t weight, bool is_beside);
};

/// Returns the locations of lines that are sorted as TaskLines does. What a task writes to counts
/// `write_weight` times.
[[nodiscard]] Locations locations_of(std::span<const TaskLine> lines, LocationSize by,
                                     std::uint32_t write_weight = 1);

/// Turns them round: the locations of each of `tasks` tasks, ascending.
[[nodiscard]] TaskLocations by_task(const Locations& locations, std::uint32_t tasks);

}  // namespace Atoll::affinity
