#include "affinity/locations.hpp"

#include <algorithm>

namespace Atoll::affinity {
namespace {

/// Calls found(lines) for each maximal run of lines with equal key(line).
template <class Key, class Found>
void for_each_run(std::span<const TaskLine> lines, Key&& key, Found&& found) {
  for (std::size_t begin = 0, end = 0; begin < lines.size(); begin = end) {
    while (end < lines.size() && key(lines[end]) == key(lines[begin])) ++end;
    found(lines.subspan(begin, end - begin));
  }
}

void distinct(std::vector<std::uint32_t>& tasks) {
  std::ranges::sort(tasks);
  tasks.erase(std::ranges::unique(tasks).begin(), tasks.end());
}

void by_words(std::span<const TaskLine> lines, std::uint32_t write_weight, Locations& locations) {
  std::vector<std::uint32_t> sharers;
  std::uint64_t before = ~std::uint64_t{0};  // the last word in use
  for_each_run(
      lines, [](const TaskLine& line) { return std::uint64_t{line.line}; },
      [&](std::span<const TaskLine> of_line) {
        for (std::uint32_t word = 0; word < 8; ++word) {
          sharers.clear();
          bool is_written = false;
          for (const TaskLine& use : of_line)
            if ((use.used() >> word & 1) != 0) {
              sharers.push_back(use.task);
              is_written |= (use.written >> word & 1U) != 0;
            }
          if (sharers.empty()) continue;
          const std::uint64_t here = of_line[0].line * 8 + word;
          locations.add(sharers, is_written ? write_weight : 1, here == before + 1);
          before = here;
        }
      });
}

void by_units(std::span<const TaskLine> lines, std::uint64_t lines_of_unit,
              std::uint32_t write_weight, Locations& locations) {
  std::vector<std::uint32_t> sharers;
  std::uint64_t before = ~std::uint64_t{0};
  const auto unit = [&](const TaskLine& line) { return line.line / lines_of_unit; };
  for_each_run(lines, unit, [&](std::span<const TaskLine> of_unit) {
    sharers.clear();
    bool is_written = false;
    for (const TaskLine& use : of_unit) {
      sharers.push_back(use.task);
      is_written |= use.written != 0;
    }
    distinct(sharers);
    locations.add(sharers, is_written ? write_weight : 1, unit(of_unit[0]) == before + 1);
    before = unit(of_unit[0]);
  });
}

}  // namespace

void Locations::add(std::span<const std::uint32_t> sharers, std::uint32_t weight,
                    bool is_adjacent) {
  const bool counts_as_much = !sizes.empty() &&
                              weights.back() == std::uint64_t{sizes.back()} * weight &&
                              weights.back() <= UINT32_MAX - weight;
  if (is_adjacent && counts_as_much &&
      std::ranges::equal(std::span(tasks).subspan(begin[begin.size() - 2]), sharers)) {
    weights.back() += weight;
    ++sizes.back();
    return;
  }
  tasks.insert(tasks.end(), sharers.begin(), sharers.end());
  begin.push_back(tasks.size());
  sizes.push_back(1);
  weights.push_back(weight);
}

Locations locations_of(std::span<const TaskLine> lines, LocationSize by,
                       std::uint32_t write_weight) {
  Locations locations;
  if (by == LocationSize::word)
    by_words(lines, write_weight, locations);
  else
    by_units(lines, by == LocationSize::line ? 1 : recording::kLinesOfPage, write_weight,
             locations);
  return locations;
}

TaskLocations by_task(const Locations& locations, std::uint32_t tasks) {
  TaskLocations uses;
  uses.location_count = static_cast<std::uint32_t>(locations.sizes.size());
  uses.begin.assign(std::size_t{tasks} + 1, 0);
  for (const std::uint32_t task : locations.tasks) ++uses.begin[task + std::size_t{1}];
  for (std::size_t task = 0; task < tasks; ++task) uses.begin[task + 1] += uses.begin[task];
  uses.locations.resize(locations.tasks.size());
  std::vector<std::uint64_t> next(uses.begin.begin(), uses.begin.end() - 1);
  for (std::uint32_t location = 0; location < uses.location_count; ++location)
    for (std::uint64_t at = locations.begin[location]; at < locations.begin[location + 1]; ++at)
      uses.locations[next[locations.tasks[at]]++] = location;
  return uses;
}

}  // namespace Atoll::affinity
