// Puts loops in loops into a stream: the outer one is played, the inner one is a range.
#include "trace/recorder/counting.hpp"

namespace Atoll::trace::recorder {
namespace {

/// Calls tell(walk, is_write) for each access of those walks that have an inner loop, or of those
/// that haven't.
template <typename Tell>
void for_each(const ThreadState* thread, bool nested, Tell tell) {
  for (const Walk* walk = thread->walks; walk != thread->walks + thread->walk_count; ++walk)
    for (std::uint32_t i = 0; (walk->n != 1) == nested && i < walk->reads + walk->writes; ++i)
      tell(*walk, i >= walk->reads);
}

}  // namespace

void stream_walk(ThreadState* thread, const Walk& walk, bool more) {
  thread->walks[thread->walk_count++] = walk;
  if (more && thread->walk_count < kWalksOfLoop) return;
  std::uint64_t flat = 0, nested = 0;
  for_each(thread, false, [&](const Walk&, bool) { ++flat; });
  for_each(thread, true, [&](const Walk&, bool) { ++nested; });
  if (nested == 0) {
    for_each(thread, false, [&](const Walk& one, bool is_write) {
      record_range(thread, one.address, one.outer_step, one.outer_n, one.bytes, is_write,
                   --flat != 0);
    });
  }
  // Each iteration first does what is in it alone, then the inner loop.
  for (std::uint64_t at = 0; nested != 0 && at < walk.outer_n; ++at) {
    const auto address_of = [at](const Walk& one) {
      return one.address + at * static_cast<std::uint64_t>(one.outer_step);
    };
    for_each(thread, false, [&](const Walk& one, bool is_write) {
      record(thread, address_of(one), one.bytes, is_write);
    });
    std::uint64_t left = nested;
    for_each(thread, true, [&](const Walk& one, bool is_write) {
      record_range(thread, address_of(one), one.step, one.n, one.bytes, is_write, --left != 0);
    });
  }
  thread->walk_count = 0;
}

}  // namespace Atoll::trace::recorder
