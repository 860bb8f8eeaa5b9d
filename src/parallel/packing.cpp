// Parts of Packing that don't depend on element types.
#include "atoll/parallel/packing.hpp"

#include <string>

#include "atoll/base/error.hpp"

namespace Atoll {

Packing::Packing(const Team& team, const ScheduledLoop& loop) : team_(&team), loop_(&loop) {
  check(loop, static_cast<std::size_t>(team.size()), "packing");
  if (loop.tasks.empty()) return;
  const std::uint64_t last = loop.tasks.size() - 1;
  missing_ = (last + 1) * loop.chunk - loop.iterations;
  const auto place = std::ranges::find(loop.tasks, static_cast<std::uint32_t>(last));
  short_task_ = static_cast<std::size_t>(place - loop.tasks.begin());
}

Partitioned Packing::layout() const {
  Partitioned layout;
  for (std::size_t thread = 0; thread < team().places().size(); ++thread) {
    layout.nodes.push_back(team().places()[thread].node);
    layout.ends.push_back(part(thread).end);
  }
  return layout;
}

Partitioned Packing::layout_of_begins() const {
  Partitioned layout = Packing::layout();
  ++layout.ends.back();
  return layout;
}

void Packing::check_size(std::size_t size, std::size_t expected) {
  if (size != expected)
    throw Error::input(
        "packing",
        "an array of " + std::to_string(size) + " elements, not " + std::to_string(expected),
        "give arrays of the loop's size");
}

}  // namespace Atoll
