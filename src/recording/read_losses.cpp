// Losses of a recording, read from its region.
#include "recording/read_region.hpp"

namespace Atoll::recording {
namespace {

/// Returns the sum of the accesses in a list of counters.
std::uint64_t sum_of_list(const RegionView& region, record::Offset last) {
  std::uint64_t sum = 0;
  region.for_each<record::PageCounters>(last,
                                        [&](const record::PageCounters& block, record::Offset) {
                                          sum += record::sum_of_counts(block).accesses;
                                        });
  return sum;
}

}  // namespace

std::vector<Loss> losses_of(const RegionView& region) {
  std::uint64_t pages = 0, ignored = 0, dropped = 0, in_handlers = 0;
  region.for_each<record::ThreadRecord>(
      region.header().threads.load(), [&](const record::ThreadRecord& thread, record::Offset) {
        region.for_each<record::PageRecord>(
            thread.pages.load(), [&](const record::PageRecord&, record::Offset) { ++pages; });
        ignored += thread.ignored_before + sum_of_list(region, thread.ignored);
        dropped += thread.dropped_before + sum_of_list(region, thread.dropped);
        in_handlers += thread.stream_lost;
      });
  std::vector<Loss> losses;
  const auto add = [&](LossKind kind, std::uint64_t count) {
    if (count != 0) losses.push_back({kind, count});
  };
  if (region.header().lines_until != 0) add(LossKind::pages_without_lines, pages);
  if (!region.is_sampled()) add(LossKind::accesses_outside, ignored);
  add(LossKind::accesses_dropped, dropped);
  add(LossKind::handler_accesses, in_handlers);
  add(LossKind::events_dropped, region.header().lost_events.load());
  return losses;
}

std::uint64_t split_accesses_of(const RegionView& region) {
  std::uint64_t sum = 0;
  region.for_each<record::ThreadRecord>(
      region.header().threads.load(),
      [&](const record::ThreadRecord& thread, record::Offset) { sum += thread.split_accesses; });
  return sum;
}

}  // namespace Atoll::recording
