#include "atoll/parallel/for_each_task.hpp"

#include <algorithm>

namespace Atoll::detail {

std::size_t tasks_at_once(const TaskLoop& loop, const Team& team) noexcept {
  constexpr std::size_t kTakes = 32;  // per thread, at least; limits the delay by the last thread
  const std::size_t share = loop.tasks() / kTakes / static_cast<std::size_t>(team.size());
  return std::clamp<std::size_t>(share, 1, std::max<std::size_t>(1, kRangeIterations / loop.chunk));
}

}  // namespace Atoll::detail
