// Applies a plan inside a program. The interposers (inside/hooks.hpp) report its allocations and
// threads. Threads are bound when they start, pages before they are touched.
#include "process/inside/hooks.hpp"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "apply/inside/bind.hpp"
#include "apply/inside/bound_threads.hpp"
#include "apply/inside/table_access.hpp"
#include "atoll/base/page_size.hpp"
#include "process/inside/system.hpp"

namespace Atoll::process::inside::hooks {
namespace {

using namespace apply::inside;

/// This process's counts of allocated objects.
struct State {
  std::atomic<std::uint64_t>* answers;    ///< by a site's number; see answer_of
  std::atomic<std::uint32_t>* allocated;  ///< by group
  std::atomic<std::uint8_t>* taken;       ///< by target: true if it was matched by size
};
State state;

constexpr std::uint32_t kMaxSites = 1 << 20;

/// Packs numbers below kMaxNumbers, or kNothing, into bit fields of a word.
constexpr std::uint64_t packed(std::uint32_t number) {
  return number == kNothing ? 0 : std::uint64_t{number} + 1;
}
constexpr std::uint32_t unpacked(std::uint64_t word, int shift) {
  return static_cast<std::uint32_t>((word >> shift) & kMaxNumbers) - 1;
}
constexpr std::uint64_t kAnswered = std::uint64_t{1} << 63;

/// Returns the server's answer for a site, packed as function (20 bits) | level (2 bits) | pool's
/// target | group. The answer is cached by the site's number.
std::uint64_t answer_of(const Site& site, bool mapped) {
  if (site.number == 0 || site.number >= kMaxSites || state.answers == nullptr) return kAnswered;
  std::atomic<std::uint64_t>& kept = state.answers[site.number];
  std::uint64_t word = kept.load(std::memory_order_relaxed);
  if (word != 0) return word;
  const Answer answer = ask(Question::site, mapped ? 1 : 0, site.stack, site.levels);
  word = kAnswered | packed(answer.found) | packed(answer.target) << 20 |
         static_cast<std::uint64_t>(answer.level) << 40 |
         std::uint64_t{answer.function & kMaxNumbers} << 42;
  kept.store(word, std::memory_order_relaxed);
  return word;
}

std::uint32_t function_of(std::uint64_t answer) {
  return static_cast<std::uint32_t>(answer >> 42) & kMaxNumbers;
}

/// Returns the next target of this size in a group without allocations so far; null if there is
/// none. If both functions are known, they must be equal.
Target* target_by_size(std::size_t bytes, std::uint32_t function, bool mapped) {
  const std::uint64_t pages = (bytes + kPageBytes - 1) / kPageBytes;
  auto* targets = at<Target>(table()->targets);
  for (std::uint32_t i = 0; i < table()->target_count; ++i) {
    const Target& target = targets[i];
    if (target.planned_pages != pages || (target.mapping != 0) != mapped ||
        state.allocated[target.group].load() != 0)
      continue;
    if (function != 0 && target.function != 0 && function != target.function) continue;
    if (state.taken[i].load() == 0) return &targets[i];
  }
  return nullptr;
}

void count_other(std::size_t bytes) {
  table()->others.fetch_add(1, std::memory_order_relaxed);
  table()->other_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

struct Found {
  Target* target = nullptr;
  Level level = Level::offset;
};

/// Finds the planned target for an allocation by its site and its order there, or else by its size.
/// Counts the allocation.
Found find_target(const Site& site, std::size_t bytes, bool mapped) {
  if (state.allocated == nullptr || state.taken == nullptr) return {};
  auto* targets = at<Target>(table()->targets);
  const std::uint64_t answer = answer_of(site, mapped);
  const std::uint32_t number = unpacked(answer, 0);
  if (number == kNothing) {
    Target* target = target_by_size(bytes, function_of(answer), mapped);
    if (target != nullptr) state.taken[target - targets].store(1);
    return {target, Level::size};
  }
  const Group& group = at<Group>(table()->groups)[number];
  const std::uint32_t order = state.allocated[number].fetch_add(1);
  const bool further = order >= group.count;
  const std::uint32_t target = further ? group.further : at<std::uint32_t>(group.targets)[order];
  if (target == kNothing) return {};
  return {&targets[target], further ? Level::further : static_cast<Level>((answer >> 40) & 3)};
}

/// Returns true if memory policies apply to the mapping's pages. They don't apply to pages of files
/// on disks, except for private copies of written pages.
bool has_own_pages(const Mapping& mapping) {
  if ((mapping.flags & MAP_ANONYMOUS) != 0) return true;
  if ((mapping.flags & MAP_TYPE) == MAP_PRIVATE) return (mapping.protection & PROT_WRITE) != 0;
  const KeepErrno keep;
  struct statfs system {};
  if (::syscall(SYS_fstatfs, mapping.file, &system) != 0) return false;
  return system.f_type == TMPFS_MAGIC || system.f_type == HUGETLBFS_MAGIC;
}

Resident resident(const Mapping& mapping) {
  if (mapping.has_data) return Resident::data;
  if ((mapping.flags & (MAP_POPULATE | MAP_LOCKED)) == 0) return Resident::nothing;
  const bool is_own =
      (mapping.flags & MAP_ANONYMOUS) != 0 && (mapping.flags & MAP_TYPE) == MAP_PRIVATE;
  return is_own && (mapping.flags & MAP_HUGETLB) == 0 ? Resident::zeros : Resident::data;
}

void bind_globals() {
  for (std::uint32_t i = 0;; ++i) {
    const Answer global = ask(Question::global, i);
    if (global.found == kNothing) return;
    bind_pages(at<Target>(table()->targets)[global.found], global.level, global.address,
               global.bytes, Resident::data);
  }
}

const Units* units_of_planned(std::uint32_t thread) {
  if (thread == kNothing) return nullptr;
  const Units* units = &at<Units>(table()->threads)[thread];
  return is_empty(*units) ? nullptr : units;
}

Unit& unit(std::uint32_t i) {
  return at<Unit>(table()->units)[i % table()->unit_count];
}

Units only(const Unit& one) {
  const auto number = static_cast<std::uint32_t>(one.number);
  Units units{};
  units.words[number / 64] = std::uint64_t{1} << (number % 64);
  return units;
}

std::uint32_t next_unit() {
  return table()->next_unit.fetch_add(1) % table()->unit_count;
}

void take_unit(std::uint32_t number) {
  unit(number).tid.store(this_tid());
  bind_this_thread(only(unit(number)));
}

/// After an exec, binds this thread to the unit that it had before. Returns false if it had none.
bool keep_unit() {
  for (std::uint32_t i = 0; i < table()->unit_count; ++i) {
    if (unit(i).tid.load() != this_tid()) continue;
    bind_this_thread(only(unit(i)));
    return true;
  }
  return false;
}

/// Removes an inherited binding from a process that isn't in the plan.
void release_this_thread() {
  Units now;
  if (!units_of_thread(0, now) || now == table()->allowed) return;
  for (std::uint32_t i = 0; i < table()->thread_count; ++i)
    if (const Units* planned = units_of_planned(i); planned != nullptr && *planned == now)
      return bind_thread(0, table()->allowed);
}

}  // namespace

bool start() {
  if (!attach()) return false;
  if (table()->units != 0) {
    if (!keep_unit()) take_unit(next_unit());
    return true;
  }
  const std::uint32_t groups = table()->group_count, targets = table()->target_count;
  state.answers =
      static_cast<std::atomic<std::uint64_t>*>(map_pages(kMaxSites * sizeof *state.answers));
  state.allocated = static_cast<std::atomic<std::uint32_t>*>(
      map_pages(std::max(groups, 1U) * sizeof *state.allocated));
  state.taken = static_cast<std::atomic<std::uint8_t>*>(map_pages(std::max(targets, 1U)));
  const Answer first = ask(Question::started, kNothing);
  this_thread_part = {first.found, first.target};
  if (const Units* units = units_of_planned(first.found))
    bind_this_thread(*units);
  else
    release_this_thread();
  bind_globals();
  return true;
}

Wanted wanted_allocations() {
  if (table()->pools != 0) return Wanted::all;
  return table()->large != 0 ? Wanted::large : Wanted::nothing;
}

bool wants_large(const Site& site, std::size_t bytes) {
  if (table()->large == 0 || state.allocated == nullptr || state.taken == nullptr) return false;
  const std::uint64_t answer = answer_of(site, false);
  if (unpacked(answer, 0) != kNothing ||
      target_by_size(bytes, function_of(answer), false) != nullptr)
    return true;
  count_other(bytes);
  return false;
}

void forked() {
  if (table() == nullptr) return;
  table()->processes.fetch_add(1);
  forget_others();
  if (table()->units != 0) take_unit(next_unit());
}

void exits(int /*code*/) {}

void ending() {}

void exec_failed() {}

std::uint64_t on_site(const Site& /*site*/) {
  return 0;  // a site is looked up only when a large object is allocated there
}

void on_module(std::uint64_t /*bias*/, std::uint64_t /*begin*/, std::uint64_t /*end*/,
               const char* /*path*/) {}

void on_allocated(const Site& site, void* address, std::size_t bytes, std::uint32_t /*order*/) {
  if (table() == nullptr || table()->units != 0) return;
  const Found found = table()->large != 0 ? find_target(site, bytes, false) : Found{};
  if (found.target == nullptr) return count_other(bytes);
  bind_pages(*found.target, found.level, reinterpret_cast<std::uintptr_t>(address), bytes);
}

void on_mapped(const Site& site, void* address, std::size_t bytes, const Mapping& mapping) {
  if (table() == nullptr || table()->units != 0) return;
  const Found found = table()->mappings != 0 ? find_target(site, bytes, true) : Found{};
  if (found.target == nullptr) {
    if (bytes >= kLargeBytes) count_other(bytes);
  } else if (has_own_pages(mapping)) {
    bind_pages(*found.target, found.level, reinterpret_cast<std::uintptr_t>(address), bytes,
               resident(mapping));
  } else {
    found.target->matched[static_cast<std::size_t>(found.level)].fetch_add(1);
    found.target->in_files.fetch_add(1);
  }
}

void on_freed(void* /*address*/, std::size_t /*bytes*/) {}
void on_unmapped(void* /*address*/, std::size_t /*bytes*/) {}
void on_brk(void* /*address*/, std::size_t /*bytes*/) {}

void on_slab(const Site& site, void* address, std::size_t bytes) {
  if (table() == nullptr || table()->pools == 0) return;
  const std::uint64_t answer = answer_of(site, false);
  const std::uint32_t target = unpacked(answer, 20);
  if (target != kNothing)
    bind_pages(at<Target>(table()->targets)[target], static_cast<Level>((answer >> 40) & 3),
               reinterpret_cast<std::uintptr_t>(address), bytes);
}

void on_small(const Site& /*site*/, std::uint64_t /*count*/, std::uint64_t /*bytes*/) {}

std::uint64_t on_creating_thread(const Site& site) {
  if (table() == nullptr) return 0;
  if (table()->units != 0) return next_unit();  // in the order of their creation
  if (table()->thread_count == 0) return 0;
  const std::uint32_t creator = this_thread_part.planned;
  const Answer thread = ask(Question::thread, creator, site.stack, site.levels);
  return packed(thread.found) | packed(thread.target) << 20 | packed(creator) << 40;
}

void on_thread_not_created(std::uint64_t /*note*/) {}

void on_thread_started(const NewThread& thread) {
  if (table() == nullptr) return;
  if (table()->units != 0) return take_unit(static_cast<std::uint32_t>(thread.note));
  this_thread_part = {unpacked(thread.note, 0), unpacked(thread.note, 20)};
  if (const Units* units = units_of_planned(this_thread_part.planned))
    return bind_this_thread(*units);
  // An unplanned thread must not keep its creator's binding.
  const Units* creator = units_of_planned(unpacked(thread.note, 40));
  Units inherited;
  if (creator != nullptr && units_of_thread(0, inherited) && inherited == *creator)
    bind_thread(0, table()->allowed);
}

void on_joined(std::uint64_t /*number*/, std::uint64_t /*since_ns*/) {}
void on_detached(std::uint64_t /*number*/) {}

void on_thread_ended() {
  if (table() != nullptr) forget_this_thread();
}

void on_stack(void* address, std::size_t bytes) {
  const std::uint32_t target = this_thread_part.stack;
  if (table() == nullptr || table()->units != 0 || target == kNothing) return;
  auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t end = begin + bytes;
  // A first thread's stack is mapped only as far as it has grown.
  if (this_tid() == ::getpid())
    begin = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  bind_pages(at<Target>(table()->targets)[target], Level::line, begin, end - begin, Resident::data);
}

void on_name(std::int32_t /*tid*/, const char* /*name*/) {}

void on_affinity(std::int32_t tid, int /*pu*/) {
  if (table() == nullptr) return;
  table()->affinity_calls.fetch_add(1);
  if (bind_again(tid)) table()->affinity_overruled.fetch_add(1);
}

// Memory is placed when it is allocated, so the order of threads and moves of memory don't matter.
void request_turn() {}
void end_turn() {}
bool may_move() {
  return true;
}
void on_remapped(const void*, std::size_t, const void*) {}

}  // namespace Atoll::process::inside::hooks
