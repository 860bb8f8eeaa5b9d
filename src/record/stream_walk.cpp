// Appends nests of two loops to a stream: the outer loop is unrolled, the inner loop becomes
// ranges.
#include "record/counting.hpp"
#include "record/timed.hpp"

namespace Atoll::record {
namespace {

/// Calls visit(walk, is_write, timing) for each access of the walks with an inner loop (`nested`),
/// or of those without. The timing is null if the stream is not timed. If a walk makes several
/// accesses, only the first one has its work.
template <typename Visit>
void for_each(const ThreadState* thread, const StyleTable* table, bool nested, Visit visit) {
  for (std::uint64_t i = 0; i != thread->walk_count; ++i) {
    const Walk& walk = thread->walks[i];
    if ((walk.n != 1) != nested) continue;
    for (std::uint32_t k = 0; k < walk.reads + walk.writes; ++k) {
      if (table == nullptr) {
        visit(walk, k >= walk.reads, nullptr);
        continue;
      }
      Timing timing = table->walks[i];
      if (k != 0) timing.work = {};
      visit(walk, k >= walk.reads, &timing);
    }
  }
}

/// Computes the styles of a loop's ranges, in their order.
class Styles {
 public:
  explicit Styles(const ThreadState* thread) : loads_(thread->timed.loads) {}
  Style next(const Timing* timing, bool is_write) {
    if (timing == nullptr) return {};
    const Style style{.access = {.work = timing->work,
                                 .depends_on = loads_back(loads_, timing->dependence),
                                 .atomic = timing->atomic},
                      .stepped = timing->stepped};
    if (!is_write) ++loads_;
    return style;
  }

 private:
  std::uint64_t loads_;
};

}  // namespace

void stream_walk(ThreadState* thread, const Walk& walk, bool more) {
  thread->walks[thread->walk_count++] = walk;
  if (more && thread->walk_count < kWalksOfLoop) return;
  StyleTable* table = is_timed_stream(thread) ? style_table(thread) : nullptr;
  std::uint64_t flat = 0, nested = 0;
  for_each(thread, nullptr, false, [&](const Walk&, bool, const Timing*) { ++flat; });
  for_each(thread, nullptr, true, [&](const Walk&, bool, const Timing*) { ++nested; });
  if (nested == 0) {
    Styles styles(thread);
    for_each(thread, table, false, [&](const Walk& one, bool is_write, const Timing* timing) {
      stream_range(thread, one.address, one.outer_step, one.outer_n, one.bytes, is_write,
                   --flat != 0, styles.next(timing, is_write));
    });
  }
  // Each iteration first makes the accesses outside of the inner loop, then the inner loop.
  for (std::uint64_t at = 0; nested != 0 && at < walk.outer_n; ++at) {
    const auto address_of = [at](const Walk& one) {
      return one.address + at * static_cast<std::uint64_t>(one.outer_step);
    };
    for_each(thread, table, false, [&](const Walk& one, bool is_write, const Timing* timing) {
      if (timing == nullptr)
        record(thread, address_of(one), one.bytes, is_write);
      else
        record_timed(thread, address_of(one), one.bytes, is_write, *timing);
    });
    std::uint64_t left = nested;
    Styles styles(thread);
    for_each(thread, table, true, [&](const Walk& one, bool is_write, const Timing* timing) {
      stream_range(thread, address_of(one), one.step, one.n, one.bytes, is_write, --left != 0,
                   styles.next(timing, is_write));
    });
  }
  if (table != nullptr)
    for (std::uint64_t i = 0; i != thread->walk_count; ++i) table->walks[i] = {};
  thread->walk_count = 0;
}

}  // namespace Atoll::record
