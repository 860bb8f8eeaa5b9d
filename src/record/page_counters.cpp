// Lookup of a thread's counters of a page: a hash table of its pages, behind the soft TLB.
#include "atoll/base/hash.hpp"
#include "record/inside.hpp"
#include "record/misses.hpp"
#include "record/sharers.hpp"
#include "record/tasks.hpp"

namespace Atoll::record {
namespace {

constexpr std::uint64_t kFirstEntries = 32;
constexpr Offset kIsPageRecord = 1;  // offsets are multiples of 8

std::uint64_t hash(std::uint64_t page) {
  return hash_more(0, page);
}

/// Returns the entry of `page`, or the free entry for it. An entry is a page and an offset (0:
/// free).
Offset* entry_of(Offset* table, std::uint64_t entries, std::uint64_t page) {
  // Consecutive pages are adjacent in the table, as ranges walk through them.
  std::uint64_t at = (hash(page >> 3) * 8 + (page & 7U)) & (entries - 1);
  while (table[2 * at + 1] != 0 && table[2 * at] != page) at = (at + 1) & (entries - 1);
  return table + 2 * at;
}

bool grow(ThreadState* thread) {
  const std::uint64_t entries =
      thread->table_entries == 0 ? kFirstEntries : 2 * thread->table_entries;
  auto* table = static_cast<Offset*>(allocate_in_room(thread, 2 * entries * sizeof(Offset)));
  if (table == nullptr) return false;
  for (std::uint64_t i = 0; i < thread->table_entries; ++i) {
    const Offset* old = thread->table + 2 * i;
    if (old[1] == 0) continue;
    Offset* moved = entry_of(table, entries, old[0]);
    moved[0] = old[0];
    moved[1] = old[1];
  }
  // The old table becomes the thread's room if it is larger than the rest of that.
  const std::uint64_t old_bytes = 2 * thread->table_entries * sizeof(Offset);
  if (old_bytes > thread->room_bytes) {
    __builtin_memset(thread->table, 0, old_bytes);
    thread->room = reinterpret_cast<std::uint8_t*>(thread->table);
    thread->room_bytes = old_bytes;
  }
  thread->table = table;
  thread->table_entries = entries;
  return true;
}

/// Marks the page as accessed in the current epoch. Returns true if it was not yet.
template <typename Record>
bool mark_epoch(Record* record) {
  const auto generation =
      static_cast<std::uint16_t>(header()->epoch_generation.load(std::memory_order_relaxed));
  if (record->epoch_generation < generation) {
    record->epochs = epochs_in_generation(record->epochs, record->epoch_generation, generation);
    record->epoch_generation = generation;
  }
  const std::uint64_t before = record->epochs;
  record->epochs |= std::uint64_t{1} << (header()->epoch.load(std::memory_order_relaxed) & 63U);
  return record->epochs != before;
}

template <typename Record>
Record* new_record(ThreadState* thread, std::uint64_t page, std::atomic<Offset>& list) {
  auto* record = static_cast<Record*>(allocate_in_room(thread, sizeof(Record)));
  if (record == nullptr) return nullptr;
  record->page = page;
  record->epoch_generation =
      static_cast<std::uint16_t>(header()->epoch_generation.load(std::memory_order_relaxed));
  record->first_access = header()->sequence.fetch_add(1, std::memory_order_relaxed);
  record->previous = list.load(std::memory_order_relaxed);
  list.store(offset_of(record), std::memory_order_release);
  return record;
}

/// Returns scratch counters for a page without lines. Their counts so far are added to the page
/// that used them before.
PageCounters* next_scratch(ThreadState* thread, PageRecord* record) {
  if (thread->scratch == nullptr) {
    std::uint64_t blocks = kMaxScratch;
    void* scratch = allocate_in_room(thread, blocks * sizeof(PageCounters));
    while (scratch == nullptr && blocks > 1)
      scratch = allocate_in_room(thread, (blocks /= 2) * sizeof(PageCounters));
    if (scratch == nullptr) return nullptr;
    thread->scratch = static_cast<PageCounters*>(scratch);
    thread->record->scratch_blocks = blocks;
    thread->next_scratch = 0;
    thread->record->scratch = offset_of(thread->scratch);
  }
  PageCounters* scratch = thread->scratch + thread->next_scratch;
  thread->next_scratch =
      (thread->next_scratch + 1) & static_cast<std::uint32_t>(thread->record->scratch_blocks - 1);
  Slot& before = slot_of(thread, scratch->page);
  if (before.block == scratch) before.begin = kEmpty;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  flush_scratch(scratch);
  scratch->page = record->page;
  scratch->previous = offset_of(record);
  return scratch;
}

/// Returns true if the page is recorded, which a hash of its number decides.
bool chosen(std::uint64_t page) {
  const std::uint32_t share = header()->page_share;
  return share >= 65536 || ((hash(page) >> 40) & 0xffffU) < share;
}

/// Prefetches the counters of the next page for walks through pages; they are elsewhere in memory.
void fetch_next(const ThreadState* thread, const Offset* entry, std::uint64_t page) {
  if (entry + 2 == thread->table + 2 * thread->table_entries || entry[2] != page + 1) return;
  const auto* next = at_offset<std::uint8_t>(entry[3]);
  for (std::size_t i = 0; i < sizeof(PageCounters); i += 64) __builtin_prefetch(next + i, 1);
}

/// Returns the contents for the page's slot.
Slot locate(ThreadState* thread, std::uint64_t page) {
  const std::uint64_t begin = page << 12;
  if (thread->record == nullptr) return {begin, thread->ignored};
  if (header()->mode == Mode::samples ||
      header()->pause_reasons.load(std::memory_order_relaxed) != 0 || !chosen(page))
    return {begin, thread->ignored};
  if (is_by_task() && !has_log(thread)) return {begin, thread->dropped};
  if (thread->table_used * 2 >= thread->table_entries && !grow(thread) &&
      thread->table_used + 1 >= thread->table_entries)
    return {begin, thread->dropped};
  Offset* entry = entry_of(thread->table, thread->table_entries, page);
  if (entry[1] == 0) {
    const bool lines = header()->used.load(std::memory_order_relaxed) < header()->lines_until;
    Offset made = 0;
    if (lines) {
      PageCounters* block = new_record<PageCounters>(thread, page, thread->record->blocks);
      if (block != nullptr) {
        made = offset_of(block);
        block->place = thread->place;
        join_page(thread, block);
      }
    }
    if (made == 0) {
      const PageRecord* record = new_record<PageRecord>(thread, page, thread->record->pages);
      if (record == nullptr) return {begin, thread->dropped};
      made = offset_of(record) | kIsPageRecord;
    }
    entry[0] = page;
    entry[1] = made;
    ++thread->table_used;
  }
  if ((entry[1] & kIsPageRecord) == 0) {
    auto* block = at_offset<PageCounters>(entry[1]);
    const Slot& before = slot_of(thread, page - 1);
    if (before.holds(begin - 4096) || before.holds_by_task(begin - 4096))
      fetch_next(thread, entry, page);
    const bool in_new_epoch = mark_epoch(block);
    if (is_by_task()) return {begin ^ Slot::kByTask, block};
    if (in_new_epoch && block->shared.load(std::memory_order_relaxed) != 0)
      count_invalidations(thread, block);
    see_page(thread, block);
    return {begin, block};
  }
  auto* record = at_offset<PageRecord>(entry[1] & ~kIsPageRecord);
  mark_epoch(record);
  PageCounters* scratch = next_scratch(thread, record);
  return {begin, scratch == nullptr ? thread->dropped : scratch};
}

}  // namespace

void flush_scratch(PageCounters* scratch) {
  if (scratch->previous == 0) return;
  auto* record = at_offset<PageRecord>(scratch->previous);
  for (Line& line : scratch->lines) {
    record->reads += reads_of(line);
    record->writes += writes_of(line);
    line = 0;
  }
  scratch->previous = 0;
}

Slot find_block(ThreadState* thread, std::uint64_t page) {
  detect_fork();
  const Entered entered(thread);
  if (!entered) return {page << 12, thread->ignored};
  const Slot found = locate(thread, page);
  Slot& slot = slot_of(thread, page);
  // A signal handler may interrupt at any point: it must never find a page with another page's
  // counters.
  slot.begin = kEmpty;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  slot.block = found.block;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  slot.begin = found.begin;
  return found;
}

void fill_pages(ThreadState* thread, std::uint64_t address, std::uint64_t bytes) {
  if (thread->record == nullptr || header()->mode != Mode::counts || is_by_task() || bytes == 0)
    return;
  thread->place = 0;  // no code of the program's
  const std::uint64_t last = (address + bytes - 1) >> 12;
  for (std::uint64_t page = address >> 12; page <= last; ++page) {
    if (header()->used.load(std::memory_order_relaxed) >= header()->lines_until) return;
    PageCounters* block = find_block(thread, page).block;
    if (block == thread->ignored || block == thread->dropped || block->page != page) continue;
    if (sum_of_counts(*block).words == 0) block->filled = 1;
  }
}

void take_back_write(ThreadState* thread, std::uint64_t address) {
  if (thread->record == nullptr || header()->mode == Mode::stream || is_by_task()) return;
  PageCounters* block = find_block(thread, address >> 12).block;
  if (block == thread->ignored || block == thread->dropped) return;
  const std::size_t line = (address >> 6) & 63;
  if (writes_of(counts_of(*block, line)) != 0) block->lines[line] -= kOneWrite;
  if (const Line words = counts_of(*block, line); (words & ~kWords) == 0)
    block->lines[line] -= words;
  for (std::size_t i = 0; i < 64; ++i)
    if (counts_of(*block, i) != 0) return;
  block->first_access = kTakenBack;
}

void spill_counts(ThreadState* thread, PageCounters* block, std::uint64_t line,
                  std::uint64_t more_reads, std::uint64_t more_writes) {
  const Entered entered(thread);
  if ((block->watched >> line & 1U) != 0) {  // it only looks full
    if (entered) use_line(thread, block, line);
    if (more_reads + more_writes == 0) return;
  }
  if (entered) return carry_counts(thread, block, line, more_reads, more_writes);
  // In a signal handler: counts that have no place are ignored.
  Line counts = 0;
  if ((block->watched >> line & 1U) == 0)
    counts = __atomic_fetch_and(&block->lines[line], kWords, __ATOMIC_RELAXED);
  if (thread->record != nullptr)
    thread->record->ignored_before +=
        reads_of(counts) + writes_of(counts) + more_reads + more_writes;
}

void carry_counts(ThreadState* thread, PageCounters* block, std::uint64_t line,
                  std::uint64_t more_reads, std::uint64_t more_writes) {
  // A signal handler that interrupts here may execute the same code.
  const Line counts = __atomic_fetch_and(&block->lines[line], kWords, __ATOMIC_RELAXED);
  const std::uint64_t reads = reads_of(counts) + more_reads;
  const std::uint64_t writes = writes_of(counts) + more_writes;
  ThreadRecord* record = thread->record;
  if (record == nullptr) return;
  if (block == thread->ignored) {
    record->ignored_before += reads + writes;
    return;
  }
  if (thread->scratch != nullptr && block >= thread->scratch &&
      block < thread->scratch + record->scratch_blocks) {
    auto* page = at_offset<PageRecord>(block->previous);
    page->reads += reads;
    page->writes += writes;
    return;
  }
  add_carried(thread, block, reads + writes);
  const Offset last = record->carries.load(std::memory_order_relaxed);
  if (last != 0 && at_offset<SpilledCounts>(last)->block == offset_of(block) &&
      at_offset<SpilledCounts>(last)->line == line) {
    at_offset<SpilledCounts>(last)->reads += reads;
    at_offset<SpilledCounts>(last)->writes += writes;
    return;
  }
  SpilledCounts* full = nullptr;
  if (block != thread->dropped)
    full = static_cast<SpilledCounts*>(allocate_in_room(thread, sizeof(SpilledCounts)));
  if (full == nullptr) {
    record->dropped_before += reads + writes;
    return;
  }
  full->block = offset_of(block);
  full->line = line;
  full->reads = reads;
  full->writes = writes;
  full->previous = last;
  record->carries.store(offset_of(full), std::memory_order_release);
}

}  // namespace Atoll::record
