#include "record/sharers.hpp"

#include "atoll/base/hash.hpp"

namespace Atoll::record {
namespace {

constexpr std::uint64_t kMaxCarries = 1024;  // maximum number of Carries that are examined

// Cache: record of this thread, and Header::sequence at its creation.
__attribute__((tls_model("initial-exec"))) thread_local const ThreadRecord* known_record = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local std::uint64_t known_creation = 0;

std::atomic<Offset>& bucket_of(std::uint64_t page, Offset process) {
  // Neighbouring pages have neighbouring buckets.
  const std::uint64_t at = page + golden_hash(process >> 6);
  return at_offset<std::atomic<Offset>>(
      header()->page_buckets)[at & (header()->page_bucket_count - 1)];
}

/// Calls `visit` for the other threads' counters of the page.
template <typename Visit>
void for_sharers(const ThreadState* thread, const PageCounters* block, Visit visit) {
  const Offset process = thread->record->process;
  for (Offset at = bucket_of(block->page, process).load(std::memory_order_acquire); at != 0;
       at = at_offset<PageCounters>(at)->next_in_bucket) {
    auto* other = at_offset<PageCounters>(at);
    if (other->page == block->page && other != block && other->thread != block->thread &&
        at_offset<ThreadRecord>(other->thread)->process == process)
      visit(other);
  }
}

/// Adds the counts that moved from the counters of a page to Carries.
void add_carries(const PageCounters* block, std::uint64_t (&reads)[64],
                 std::uint64_t (&writes)[64]) {
  Offset at = at_offset<ThreadRecord>(block->thread)->carries.load(std::memory_order_acquire);
  for (std::uint64_t i = 0; at != 0 && i != kMaxCarries; ++i) {
    const auto* spilled = at_offset<SpilledCounts>(at);
    if (spilled->block == offset_of(block)) {
      reads[spilled->line & 63U] += spilled->reads;
      writes[spilled->line & 63U] += spilled->writes;
    }
    at = spilled->previous;
  }
}

std::uint32_t limited(std::uint64_t count) {
  return count < ~std::uint32_t{0} ? static_cast<std::uint32_t>(count) : ~std::uint32_t{0};
}

/// Visits to a page's lines so far: by writes of other threads, and by uses of this thread.
struct Visits {
  std::uint64_t writes[64], uses[64];
};

void add_visits(const PageCounters* block, bool of_others, Visits& sum) {
  std::uint64_t reads[64] = {};
  std::uint64_t writes[64] = {};
  add_carries(block, reads, writes);
  for (std::size_t i = 0; i < 64; ++i) {
    const Line line = counts_of(*block, i);
    if (of_others)
      sum.writes[i] += visits_of(writes[i] + writes_of(line), line);
    else
      sum.uses[i] += visits_of(reads[i] + reads_of(line) + writes[i] + writes_of(line), line);
  }
}

Visits visits_until_now(const ThreadState* thread, const PageCounters* block) {
  Visits sum = {};
  add_visits(block, false, sum);
  for_sharers(thread, block, [&](const PageCounters* other) { add_visits(other, true, sum); });
  return sum;
}

/// Returns Header::sequence at this thread's creation or, if unknown, at its begin.
std::uint64_t own_creation(const ThreadRecord* record) {
  if (known_record == record) return known_creation;
  known_record = record;
  known_creation = record->started_after;
  for (Offset at = header()->creations.load(std::memory_order_acquire); at != 0;) {
    const auto* creation = at_offset<CreationRecord>(at);
    if (creation->tid.load() == record->tid && creation->process == record->process) {
      known_creation = creation->after;
      break;
    }
    at = creation->previous;
  }
  return known_creation;
}

bool has_many(const std::uint64_t (&visits)[64]) {
  for (const std::uint64_t count : visits)
    if (count >= kManyVisits) return true;
  return false;
}

/// Allocates Invalidations for a page. The visits `before` are excluded.
void begin_counting(ThreadState* thread, PageCounters* block, const Visits& before) {
  if (thread->invalidations == kMaxInvalidations) return;
  auto* known = static_cast<Invalidations*>(allocate_in_room(thread, sizeof(Invalidations)));
  if (known == nullptr) return;
  ++thread->invalidations;
  known->period_ns = known->used_ns = now_ns();
  for (std::size_t i = 0; i < 64; ++i) {
    known->writes[i] = limited(before.writes[i]);
    known->uses[i] = limited(before.uses[i]);
  }
  Offset none = 0;
  block->invalidations.compare_exchange_strong(none, offset_of(known));
}

/// Ends the current period and begins the next one.
void end_period(Invalidations* known, const Visits& now, std::uint64_t used_ns,
                std::uint64_t now_ns) {
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t writes = limited(now.writes[i]), uses = limited(now.uses[i]);
    if (writes > known->writes[i] && uses > known->uses[i])
      known->count[i] =
          limited(known->count[i] +
                  invalidations_of(writes - known->writes[i], uses - known->uses[i],
                                   used_ns - known->period_ns, now_ns - known->period_ns));
    known->writes[i] = writes;
    known->uses[i] = uses;
  }
  known->period_ns = now_ns;
}

/// Returns true if the thread may examine another page in this epoch.
bool may_look(ThreadState* thread) {
  const std::uint64_t now =
      std::uint64_t{header()->epoch_generation.load(std::memory_order_relaxed)} << 32 |
      header()->epoch.load(std::memory_order_relaxed);
  if (thread->look_epoch != now) {
    thread->look_epoch = now;
    thread->looks = 0;
  }
  return ++thread->looks <= kLooksInEpoch;
}

}  // namespace

void join_page(ThreadState* thread, PageCounters* block) {
  block->thread = offset_of(thread->record);
  if (header()->page_bucket_count == 0) return;
  push(bucket_of(block->page, thread->record->process), offset_of(block), block->next_in_bucket);
  std::uint64_t creation = 0;
  Visits written = {};  // by threads that used the page before this thread was created
  bool is_shared = false;
  for_sharers(thread, block, [&](PageCounters* other) {
    if (!is_shared) creation = own_creation(thread->record);
    is_shared = true;
    const bool is_first = other->shared.exchange(1, std::memory_order_relaxed) == 0;
    if (other->first_access >= creation) return;
    add_visits(other, true, written);
    if (!is_first) return;
    Visits alone = {};
    add_visits(other, false, alone);
    if (has_many(alone.uses)) begin_counting(thread, other, alone);
  });
  if (!is_shared) return;
  block->shared.store(1, std::memory_order_relaxed);
  if (has_many(written.writes)) begin_counting(thread, block, written);
}

void count_invalidations(ThreadState* thread, PageCounters* block) {
  const Offset offset = block->invalidations.load(std::memory_order_acquire);
  if (offset == 0) {
    if (!may_look(thread)) return;
    // The time since the page is shared is one period.
    if (has_many(visits_until_now(thread, block).writes)) begin_counting(thread, block, {});
    return;
  }
  auto* known = at_offset<Invalidations>(offset);
  const std::uint64_t now = now_ns();
  const std::uint64_t epoch_ns = header()->epoch_ns << header()->epoch_generation.load();
  const std::uint64_t used_until = known->used_ns + epoch_ns;
  known->used_ns = now;
  if (now - known->period_ns >= kPeriodNs && may_look(thread))
    end_period(known, visits_until_now(thread, block), used_until < now ? used_until : now, now);
}

}  // namespace Atoll::record
