#include "recording/pages/page_homes.hpp"

#include <linux/mempolicy.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "record/stream_words.hpp"
#include "recording/pages/memory_policy.hpp"
#include "recording/streams/stream_records.hpp"

namespace Atoll::recording {

/// Relevant event of a thread.
struct PageHomes::Seen {
  const record::Event* event;
  std::uint32_t thread;
};

namespace {

bool is_wanted(record::EventKind kind) {
  return kind == record::EventKind::placed || kind == record::EventKind::freed ||
         kind == record::EventKind::unmapped;
}

}  // namespace

PageHomes::PageHomes(const RegionView& region) : region_(region), threads_(threads_of(region)) {
  for (const record::Offset process : processes_of(region))
    processes_.emplace(process, static_cast<std::uint32_t>(processes_.size()));
  std::vector<Seen> all;
  bool some_placed = false;
  for (std::uint32_t id = 0; id < threads_.size(); ++id) {
    const record::ThreadRecord* const record = threads_[id].record;
    if (record == nullptr || !processes_.contains(threads_[id].process)) continue;
    by_tid_[{threads_[id].process, record->tid}] = id;
    region.for_each<record::Event>(
        record->events.load(), [&](const record::Event& event, record::Offset at) {
          if (!is_wanted(event.kind) ||
              region.at<std::uint8_t>(at + sizeof event, event.bytes) == nullptr)
            return;
          some_placed = some_placed || event.kind == record::EventKind::placed;
          all.push_back({&event, id});
        });
  }
  if (!some_placed) return;
  std::ranges::sort(all, [](const Seen& a, const Seen& b) {
    return std::tie(a.event->sequence, a.event) < std::tie(b.event->sequence, b.event);
  });
  for (const Seen& seen : all) read(seen);
}

void PageHomes::read(const Seen& seen) {
  if (seen.event->kind == record::EventKind::placed) return read_call(seen);
  record::Freed freed{};
  if (seen.event->bytes < sizeof freed) return;
  std::memcpy(&freed, seen.event + 1, sizeof freed);
  if (freed.bytes == 0 || freed.address + freed.bytes < freed.address) return;
  const auto its = ranges_.find(processes_.at(threads_[seen.thread].process));
  if (its == ranges_.end()) return;
  its->second.update_known(
      freed.address, freed.address + freed.bytes, [&](std::vector<Change>& changes) {
        changes.push_back({.since = seen.event->sequence, .kind = Change::Kind::gone});
      });
}

void PageHomes::read_call(const Seen& seen) {
  std::vector<std::uint64_t> words(seen.event->bytes / sizeof(std::uint64_t));
  std::memcpy(words.data(), seen.event + 1, words.size() * sizeof(std::uint64_t));
  StreamPlacement call;
  if (words.empty() || !placement_of(words, call)) return;
  const std::uint64_t since = seen.event->sequence;
  const record::Offset process = threads_[seen.thread].process;
  const auto as_policy = [&](std::uint64_t mode, std::span<const std::uint64_t> nodes) {
    if ((mode & kPolicyModes) == MPOL_DEFAULT) return kNone;
    return number_of({mode & kPolicyModes, {nodes.begin(), nodes.end()}});
  };
  Change change{.since = since};
  switch (call.kind) {
    case RecordKind::policy_of_thread:
      policies_of_threads_[seen.thread].push_back({since, as_policy(call.mode, call.mask)});
      return;
    case RecordKind::policy_of_range:
      change.policy = as_policy(call.mode, call.mask);
      change.moves = (call.flags & (MPOL_MF_MOVE | MPOL_MF_MOVE_ALL)) != 0;
      break;
    case RecordKind::pages_moved: {
      std::vector<std::uint64_t> node(call.node / 64 % 64 + 1);
      node.back() = std::uint64_t{1} << call.node % 64;
      change.policy = as_policy(MPOL_BIND, node);
      change.moves = true;
      break;
    }
    case RecordKind::pages_cached:
      change.kind = Change::Kind::cached;
      if (call.thread != 0)
        change.thread = thread_of(process, static_cast<std::int32_t>(call.thread));
      break;
    default:
      return;
  }
  if (call.bytes == 0 || call.address + call.bytes < call.address) return;
  ranges_[processes_.at(process)].update(
      call.address, call.address + call.bytes,
      [&](std::vector<Change>& changes) { changes.push_back(change); });
}

std::uint32_t PageHomes::number_of(const MemoryPolicy& policy) {
  const auto found = std::ranges::find(policies_, policy);
  if (found == policies_.end()) {
    policies_.push_back(policy);
    return static_cast<std::uint32_t>(policies_.size() - 1);
  }
  return static_cast<std::uint32_t>(found - policies_.begin());
}

std::uint32_t PageHomes::thread_of(record::Offset process, std::int32_t tid) const {
  const auto found = by_tid_.find({process, tid});
  return found == by_tid_.end() ? kNone : found->second;
}

std::uint32_t PageHomes::inherited_from(std::uint32_t thread) const {
  const ThreadOfRegion& of = threads_[thread];
  if (of.creation != nullptr) return thread_of(of.process, of.creation->creator_tid);
  const auto* const process = region_.at<record::ProcessRecord>(of.process);
  if (process == nullptr || of.record == nullptr) return kNone;
  // The thread that called exec(), or the first thread of the process that forked this one.
  const std::uint32_t same = thread_of(process->parent, of.record->tid);
  return same != kNone ? same : thread_of(process->parent, process->parent_pid);
}

std::uint32_t PageHomes::policy_of_thread(std::uint32_t thread, std::uint64_t when) const {
  // The bound ends the loop if a damaged region has a cycle of creators.
  for (std::size_t turn = 0; thread != kNone && turn <= threads_.size(); ++turn) {
    if (const auto found = policies_of_threads_.find(thread); found != policies_of_threads_.end()) {
      const std::vector<Since>& its = found->second;
      const auto after = std::ranges::upper_bound(its, when, {}, &Since::since);
      if (after != its.begin()) return std::prev(after)->policy;
    }
    const ThreadOfRegion& of = threads_[thread];
    // Events with numbers from this one on happened after the creation.
    std::uint64_t next = 0;
    if (of.creation != nullptr)
      next = of.creation->after;
    else if (of.record != nullptr)
      next = of.record->started_after;
    if (next == 0) return kNone;
    when = next - 1;
    thread = inherited_from(thread);
  }
  return kNone;
}

std::uint32_t PageHomes::home_of(const Touch& touch) {
  PageHome home{.thread = touch.toucher};
  bool was_cached = false, has_range_policy = false;
  const auto its = ranges_.find(touch.process);
  const std::vector<Change>* const changes =
      its == ranges_.end() ? nullptr : its->second.value_at(touch.page * kPageBytes);
  for (std::size_t i = 0; changes != nullptr && i < changes->size(); ++i) {
    const Change& change = (*changes)[i];
    const bool is_before = change.since <= touch.when;
    if (change.kind == Change::Kind::gone) {
      if (!is_before) break;  // later calls apply to other memory
      home = {.thread = touch.toucher};
      was_cached = has_range_policy = false;
    } else if (change.kind == Change::Kind::cached) {
      if (!is_before || touch.is_copy) continue;
      home = {.thread = change.thread};
      was_cached = true;
      has_range_policy = false;
    } else if (change.moves || (is_before && !was_cached)) {
      home.policy = change.policy;
      has_range_policy = change.policy != kNone;
    }
  }
  if (!was_cached && !has_range_policy) home.policy = policy_of_thread(touch.toucher, touch.when);
  if (home.policy == kNone && home.thread != kNone) return home.thread;
  const auto number = static_cast<std::uint32_t>(threads_.size() + homes_.size());
  return homes_.emplace(home, number).first->second;
}

void PageHomes::add_to(Recording& recording) const {
  recording.policies = policies_;
  recording.homes.resize(homes_.size());
  for (const auto& [home, number] : homes_) recording.homes[number - threads_.size()] = home;
}

}  // namespace Atoll::recording
