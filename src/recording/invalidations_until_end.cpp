#include "recording/invalidations_until_end.hpp"

#include <algorithm>

namespace Atoll::recording {

CountedInvalidations invalidations_until_end(const record::Invalidations& known,
                                             std::span<const ThreadOnPage> threads,
                                             std::size_t which, std::uint64_t end_ns,
                                             std::uint64_t epoch_ns) {
  using record::visits_of;
  const std::uint64_t end = std::max(end_ns, known.period_ns);
  const std::uint64_t used_until = std::clamp(known.used_ns + epoch_ns, known.period_ns, end);
  CountedInvalidations taken(std::in_place);
  for (std::size_t line = 0; line < kLinesOfPage; ++line) {
    std::uint64_t writes = 0;
    for (std::size_t i = 0; i < threads.size(); ++i)
      if (i != which) writes += visits_of(threads[i].lines[line].writes, threads[i].words[line]);
    const LineCount& own = threads[which].lines[line];
    const std::uint64_t uses = visits_of(own.reads + own.writes, threads[which].words[line]);
    (*taken)[line] = known.count[line];
    if (writes > known.writes[line] && uses > known.uses[line])
      (*taken)[line] +=
          record::invalidations_of(writes - known.writes[line], uses - known.uses[line],
                                   used_until - known.period_ns, end - known.period_ns);
  }
  return taken;
}

}  // namespace Atoll::recording
