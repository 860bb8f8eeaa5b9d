#include "recording/streams/live_streams.hpp"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "record/waits.hpp"
#include "recording/thread_files.hpp"

namespace Atoll::recording {

using record::Offset;

LiveStreams::LiveStreams(const Region& region)
    : region_(region), view_(region.header(), region.bytes()) {}

LiveStreams::~LiveStreams() {
  for (const Thread& thread : threads_)
    if (thread.stat >= 0) ::close(thread.stat);
}

std::uint32_t LiveStreams::count() {
  const Offset newest = region_.header().threads.load(std::memory_order_acquire);
  if (newest == newest_) return static_cast<std::uint32_t>(threads_.size());
  std::vector<const record::ThreadRecord*> fresh;
  bool known = false;
  view_.for_each<record::ThreadRecord>(newest,
                                       [&](const record::ThreadRecord& record, Offset offset) {
                                         known = known || offset == newest_;
                                         if (!known) fresh.push_back(&record);
                                       });
  for (auto record = fresh.rbegin(); record != fresh.rend(); ++record)
    threads_.push_back({*record, 0, {}, -1});
  newest_ = newest;
  return static_cast<std::uint32_t>(threads_.size());
}

LiveStreams::About LiveStreams::about(std::uint32_t stream) const {
  const record::ThreadRecord& record = *threads_[stream].record;
  const auto* process = view_.at<record::ProcessRecord>(record.process);
  About about{.process = record.process, .tid = record.tid, .number = record.number};
  about.pid = process == nullptr ? record.tid : process->pid;
  about.is_first = about.pid == about.tid;
  return about;
}

const record::Ring* LiveStreams::ring_of(std::uint32_t stream) const {
  const Offset offset = threads_[stream].record->ring.load(std::memory_order_acquire);
  return offset == 0 ? nullptr : view_.at<record::Ring>(offset);
}

bool LiveStreams::has_words(std::uint32_t stream) const {
  const record::Ring* const ring = ring_of(stream);
  return ring != nullptr && ring->written.load(std::memory_order_acquire) !=
                                ring->read.load(std::memory_order_relaxed);
}

bool LiveStreams::is_held(std::uint32_t stream) const {
  const record::ThreadRecord& record = *threads_[stream].record;
  if (record.turns_requested.load() != record.turns_granted.load()) return true;
  const record::Ring* const ring = ring_of(stream);
  return ring != nullptr && ring->waits.load() != 0;
}

bool LiveStreams::take(std::uint32_t stream, std::vector<std::uint64_t>& words) {
  const record::ThreadRecord& record = *threads_[stream].record;
  const Offset offset = record.ring.load(std::memory_order_acquire);
  if (offset == 0 || view_.at<record::Ring>(offset) == nullptr) return false;
  auto* const ring =
      reinterpret_cast<record::Ring*>(reinterpret_cast<std::uint8_t*>(&region_.header()) + offset);
  const std::uint64_t read = ring->read.load(std::memory_order_relaxed);
  const std::uint64_t written = ring->written.load(std::memory_order_acquire);
  // The thread may have released its ring meanwhile, and another thread may have acquired it.
  if (record.ring.load(std::memory_order_acquire) != offset) return false;
  const std::uint64_t count = std::min(written - read, record::kRingWords);
  if (count == 0) return false;
  words.resize(count);
  for (std::uint64_t k = 0; k < count; ++k) words[k] = ring->words[(read + k) % record::kRingWords];
  ring->read.store(read + count);
  if (ring->waits.load() != 0) {
    ring->waits.store(0);
    ::syscall(SYS_futex, &ring->waits, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
  touched_.add(record.process, words);
  return true;
}

bool LiveStreams::is_asleep(std::uint32_t stream) const {
  const record::ThreadRecord& record = *threads_[stream].record;
  return record.asleep.load(std::memory_order_acquire) != 0 &&
         record.computes.load(std::memory_order_acquire) == 0;
}

std::uint32_t LiveStreams::condition_checks(std::uint32_t stream) const {
  return threads_[stream].record->asleep.load(std::memory_order_acquire) / record::kLookedOnce;
}

bool LiveStreams::is_blocked(std::uint32_t stream) const {
  return waits_for_futex(kernel_file(stream, "syscall"), condition_checks(stream) != 0);
}

void LiveStreams::grant_turn(std::uint32_t stream) {
  // The program's records are read-only here except for this field.
  auto& record = const_cast<record::ThreadRecord&>(*threads_[stream].record);
  record.turns_granted.fetch_add(1, std::memory_order_release);
  ::syscall(SYS_futex, &record.turns_granted, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

bool LiveStreams::has_turn_ended(std::uint32_t stream) const {
  const record::ThreadRecord& record = *threads_[stream].record;
  const std::uint32_t given = record.turns_granted.load(std::memory_order_relaxed);
  return record.turns_ended.load(std::memory_order_acquire) == given ||
         record.turns_requested.load(std::memory_order_acquire) != given;
}

std::string LiveStreams::kernel_file(std::uint32_t stream, const char* name) const {
  const About its = about(stream);
  return text_of(its.pid, its.tid, name);
}

char LiveStreams::kernel_state(std::uint32_t stream) const {
  const Thread& thread = threads_[stream];
  if (thread.stat < 0) {
    const About its = about(stream);
    thread.stat = opened(path_of(its.pid, its.tid, "stat"));
    if (thread.stat < 0) return 0;
  }
  std::array<char, 128> start;
  const ssize_t bytes = ::pread(thread.stat, start.data(), start.size(), 0);
  return bytes <= 0 ? '\0' : letter_in({start.data(), static_cast<std::size_t>(bytes)});
}

bool LiveStreams::is_another_program(Offset process) const {
  const std::int32_t pid = view_.at<record::ProcessRecord>(process)->pid;
  bool is_later = true, found = false;
  view_.for_each<record::ProcessRecord>(region_.header().processes.load(std::memory_order_acquire),
                                        [&](const record::ProcessRecord& one, Offset offset) {
                                          is_later = is_later && offset != process;
                                          found = found || (is_later && one.pid == pid);
                                        });
  return found;
}

bool LiveStreams::is_gone(std::uint32_t stream) const {
  return has_ended() || kernel_state(stream) == 0;
}

LiveStreams::State LiveStreams::state(std::uint32_t stream) const {
  const record::ThreadRecord& record = *threads_[stream].record;
  const auto* process = view_.at<record::ProcessRecord>(record.process);
  if (has_ended() || record.ended_ns.load(std::memory_order_acquire) != 0 || process == nullptr ||
      (process->ended_ns.load(std::memory_order_acquire) != 0 &&
       is_another_program(record.process)))
    return State::ended;
  return state_by(kernel_state(stream));
}

std::uint64_t LiveStreams::processor_ns(std::uint32_t stream) const {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(about(stream).pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t LiveStreams::thread_ns(std::uint32_t stream) const {
  return time_in(kernel_file(stream, "schedstat"));
}

std::uint64_t LiveStreams::switches(std::uint32_t stream) const {
  const std::string text = kernel_file(stream, "status");
  std::uint64_t count = 0;
  for (const std::string_view name :
       {"\nvoluntary_ctxt_switches:", "\nnonvoluntary_ctxt_switches:"})
    if (const std::size_t at = text.find(name); at != std::string::npos)
      count += std::strtoull(text.c_str() + at + name.size(), nullptr, 10);
  return count;
}

LiveStreams::Created LiveStreams::created(Offset process, std::uint64_t number) {
  Created found;
  std::int32_t tid = 0;
  view_.for_each<record::CreationRecord>(
      region_.header().creations.load(std::memory_order_acquire),
      [&](const record::CreationRecord& creation, Offset) {
        if (creation.process != process || creation.event != number + 1) return;
        tid = creation.tid.load();
        found.site = creation.site;
      });
  found.was_refused = tid == record::kNotCreated;
  if (tid <= 0) return found;
  for (std::uint32_t stream = count(); stream > 0; --stream) {
    const record::ThreadRecord& record = *threads_[stream - 1].record;
    if (record.process != process || record.tid != tid) continue;
    if (const std::uint64_t begun = record.begun_event.load(); begun == 0 || begun > number + 1)
      found.stream = stream - 1;
    break;
  }
  return found;
}

bool LiveStreams::was_created(std::uint32_t stream) const {
  const About its = about(stream);
  bool found = false;
  view_.for_each<record::CreationRecord>(
      region_.header().creations.load(std::memory_order_acquire),
      [&](const record::CreationRecord& creation, Offset) {
        found = found || (creation.process == its.process && creation.tid.load() == its.tid);
      });
  return found;
}

void LiveStreams::index(std::uint32_t stream) {
  Thread& thread = threads_[stream];
  const Offset last = thread.record->events.load(std::memory_order_acquire);
  if (last == thread.last_event) return;
  std::vector<const record::Event*> fresh;
  bool known = false;
  view_.for_each<record::Event>(last, [&](const record::Event& event, Offset offset) {
    known = known || offset == thread.last_event;
    if (!known && view_.at<std::uint8_t>(offset + sizeof event, event.bytes) != nullptr)
      fresh.push_back(&event);
  });
  thread.last_event = last;
  for (auto at = fresh.rbegin(); at != fresh.rend(); ++at) {
    const record::Event& event = **at;
    const Offset process = thread.record->process;
    record::SiteSeen seen{};
    switch (event.kind) {
      case record::EventKind::site:
        if (event.bytes < sizeof seen) break;
        std::memcpy(&seen, &event + 1, sizeof seen);
        if (event.bytes >= sizeof seen + std::uint64_t{seen.levels} * sizeof(std::uint64_t))
          sites_[{process, seen.site}] = &event;
        break;
      case record::EventKind::module:
        if (event.bytes > sizeof(record::ModuleLoaded)) modules_[process].push_back(&event);
        thread.events.emplace(event.sequence, &event);
        break;
      case record::EventKind::described:
        if (event.bytes > sizeof(record::Allocated)) described_[process].push_back(&event);
        break;
      case record::EventKind::allocated:
      case record::EventKind::slab:
      case record::EventKind::mapped:
      case record::EventKind::stack:
      case record::EventKind::brk:
      case record::EventKind::joined:
        thread.events.emplace(event.sequence, &event);
        break;
      default:
        break;
    }
  }
}

void LiveStreams::index_all() {
  for (std::uint32_t stream = 0; stream < count(); ++stream) index(stream);
}

const record::Event* LiveStreams::event(std::uint32_t stream, std::uint64_t number) {
  index(stream);
  Thread& thread = threads_[stream];
  const auto found = thread.events.find(number);
  if (found == thread.events.end()) return nullptr;
  const record::Event* const event = found->second;
  thread.events.erase(found);
  return event;
}

const record::Event* LiveStreams::site(Offset process, std::uint32_t number) {
  const auto known = sites_.find({process, number});
  if (known != sites_.end()) return known->second;
  index_all();
  const auto found = sites_.find({process, number});
  return found == sites_.end() ? nullptr : found->second;
}

const std::vector<const record::Event*>& LiveStreams::modules(Offset process) {
  index_all();
  return modules_[process];
}

const std::vector<const record::Event*>& LiveStreams::described(Offset process) {
  index_all();
  return described_[process];
}

Offset LiveStreams::parent(Offset process) const {
  const auto* record = view_.at<record::ProcessRecord>(process);
  return record == nullptr ? 0 : record->parent;
}

}  // namespace Atoll::recording
