#include "recording/read_events.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "recording/objects/fill_places.hpp"
#include "recording/objects/object_table.hpp"
#include "recording/objects/site_table.hpp"
#include "recording/pages/mapped_memory.hpp"
#include "recording/pages/module_pages.hpp"
#include "recording/read_region.hpp"

namespace Atoll::recording {
namespace {

constexpr std::uint32_t kMaxLevels = 256;

struct SeenEvent {
  const record::Event* event;
  std::uint32_t thread;
};

template <typename T>
std::optional<T> payload(const record::Event& event) {
  if (event.bytes < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, &event + 1, sizeof value);
  return value;
}

/// Returns the text after the first `skip` bytes, up to its terminating zero.
std::string_view text_of(const record::Event& event, std::size_t skip) {
  if (event.bytes <= skip) return {};
  const std::string_view text(reinterpret_cast<const char*>(&event + 1) + skip, event.bytes - skip);
  return text.substr(0, text.find('\0'));
}

class EventReader {
 public:
  EventReader(const RegionView& region, process::Symbols& symbols, ObjectIndex& index,
              PhysicalPages& pages, const StreamedPages& streamed)
      : region_(region),
        symbols_(symbols),
        index_(index),
        memory_(pages, symbols),
        streamed_(streamed) {}

  Recording read() {
    read_processes();
    read_threads();
    read_accessed_pages();
    for (const SeenEvent& seen : events_) read_event(seen);
    name_creation_sites();
    end_threads();
    recording_.objects = objects_->take();
    name_fill_sites();
    recording_.sites = sites_->take_sites();
    if (is_stream()) recording_.ranges = objects_->take_ranges();
    if (is_stream() || region_.header().by_task != 0) number_streams();
    name_forked_processes();
    return std::move(recording_);
  }

 private:
  [[nodiscard]] std::uint64_t since_start(std::uint64_t ns) const {
    return ns > started_ns_ ? ns - started_ns_ : 0;
  }

  void read_processes() {
    process_offsets_ = processes_of(region_);
    std::unordered_map<record::Offset, std::uint32_t> ids;
    started_ns_ = region_.header().started_ns;
    for (const record::Offset offset : process_offsets_) {
      const auto& record = *region_.at<record::ProcessRecord>(offset);
      if (started_ns_ == 0) started_ns_ = record.started_ns;
      const auto id = static_cast<std::uint32_t>(ids.size());
      const auto parent = ids.find(record.parent);
      const std::uint32_t exit_code = record.exit_code.load();
      recording_.processes.push_back({.id = id,
                                      .pid = record.pid,
                                      .parent = parent == ids.end() ? kNone : parent->second,
                                      .started_ns = since_start(record.started_ns),
                                      .ended_ns = since_start(record.ended_ns.load())});
      if ((exit_code & record::kExits) != 0)
        recording_.processes.back().exit_code = static_cast<int>(exit_code & 0xffU);
      // The process executed another program, so its record ends where the new one begins.
      if (parent != ids.end() && recording_.processes[parent->second].pid == record.pid &&
          recording_.processes[parent->second].ended_ns == 0)
        recording_.processes[parent->second].ended_ns = recording_.processes.back().started_ns;
      ids[offset] = id;
    }
    process_ids_ = std::move(ids);
    forked_from_.resize(recording_.processes.size(), kNone);
  }

  void read_threads() {
    std::vector<bool> executed(recording_.processes.size(), false);  // the process does not share
                                                                     // its parent's memory
    if (executed.empty()) return;
    threads_ = threads_of(region_);
    std::vector<std::uint32_t> count_of(recording_.processes.size());
    for (const ThreadOfRegion& seen : threads_) {
      const auto process = process_ids_.find(seen.process);
      const auto id = static_cast<std::uint32_t>(recording_.threads.size());
      Thread thread{.id = id, .process = process == process_ids_.end() ? 0 : process->second};
      thread.order = count_of[thread.process]++;
      if (seen.creation != nullptr)
        thread.creator = thread_of(thread.process, seen.creation->creator_tid);
      thread.started_ns = since_start(seen.created_ns);
      if (seen.record != nullptr) {
        thread.tid = seen.record->tid;
        thread.ended_ns = since_start(seen.record->ended_ns.load());
        thread.begun_event = seen.record->begun_event.load() - 1;  // 0 becomes kNoEvent
        thread.ended_event = seen.record->ended_event.load() - 1;
      }
      if (seen.creation != nullptr && is_stream()) thread.created_event = seen.creation->event - 1;
      recording_.threads.push_back(thread);
      if (process == process_ids_.end()) continue;  // damaged region: skips its events
      if (seen.record == nullptr) continue;         // it never began
      const record::ThreadRecord& record = *seen.record;
      by_tid_[{thread.process, record.tid}] = id;
      if (record.number != 0) by_number_[{thread.process, record.number}].push_back(id);
      region_.for_each<record::Event>(
          record.events.load(), [&](const record::Event& event, record::Offset at) {
            if (region_.at<std::uint8_t>(at + sizeof event, event.bytes) == nullptr) return;
            events_.push_back({&event, id});
            if (event.kind == record::EventKind::program) executed[thread.process] = true;
          });
    }
    std::ranges::sort(events_, [](const SeenEvent& a, const SeenEvent& b) {
      return std::tie(a.event->sequence, a.event) < std::tie(b.event->sequence, b.event);
    });
    for (std::uint32_t i = 0; i < forked_from_.size(); ++i) {
      const std::uint32_t parent = recording_.processes[i].parent;
      if (!executed[i] && parent != kNone &&
          recording_.processes[parent].pid != recording_.processes[i].pid)
        forked_from_[i] = parent;
      const auto& record = *region_.at<record::ProcessRecord>(process_offsets_[i]);
      if (forked_from_[i] != kNone && is_stream())
        recording_.processes[i].forked_after =
            record.forked_after != 0 ? record.forked_after - 1 : began_after(i);
      memory_.add_process(forked_from_[i], created_ns(region_, record));
    }
  }

  /// Returns the last thread with this tid so far; kNone if there is none.
  [[nodiscard]] std::uint32_t thread_of(std::uint32_t process, std::int32_t tid) const {
    const auto found = by_tid_.find({process, tid});
    return tid == 0 || found == by_tid_.end() ? kNone : found->second;
  }

  /// Returns the last thread with this pthread_t that was created before `until_ns`; kNone if there
  /// is none.
  [[nodiscard]] std::uint32_t thread_called(std::uint32_t process, std::uint64_t number,
                                            std::uint64_t until_ns) const {
    const auto found = by_number_.find({process, number});
    if (found == by_number_.end()) return kNone;
    for (auto id = found->second.rbegin(); id != found->second.rend(); ++id)
      if (threads_[*id].created_ns <= until_ns) return *id;
    return kNone;
  }

  void read_accessed_pages() {
    ModulePages accessed(forked_from_);
    for (const SeenEvent& seen : events_)
      if (seen.event->kind == record::EventKind::module)
        if (const auto loaded = payload<record::ModuleLoaded>(*seen.event))
          accessed.add_module(recording_.threads[seen.thread].process, loaded->begin, loaded->end);
    for (std::size_t i = 0; i < threads_.size(); ++i)
      if (threads_[i].record != nullptr)
        accessed.add_thread(region_, recording_.threads[i].process, *threads_[i].record);
    for (const auto& [process, pages] : streamed_)
      if (const auto id = process_ids_.find(process); id != process_ids_.end())
        for (const std::uint64_t page : pages) accessed.add_page(id->second, page);
    sites_.emplace(forked_from_, symbols_);
    objects_.emplace(forked_from_, recording_.threads, std::move(accessed), symbols_, index_);
  }

  /// Returns the processing unit that a thread inherits. A thread inherits the binding of the
  /// thread that created or forked it, or its own from before an exec(). Called at the thread's
  /// first event.
  [[nodiscard]] int inherited_pu(const Thread& thread) const {
    std::uint32_t from = thread.creator;
    const Process& process = recording_.processes[thread.process];
    if (from == kNone && process.parent != kNone) {
      from = thread_of(process.parent, thread.tid);
      if (from == kNone) from = thread_of(process.parent, recording_.processes[process.parent].pid);
    }
    return from == kNone ? -1 : recording_.threads[from].pu;
  }

  void read_event(const SeenEvent& seen) {
    const record::Event& event = *seen.event;
    Thread& thread = recording_.threads[seen.thread];
    if (begun_.insert(thread.id).second && thread.pu < 0) thread.pu = inherited_pu(thread);
    const std::uint64_t now_ns = since_start(event.time_ns);
    const Moment now = {now_ns, event.sequence + 1};
    switch (event.kind) {
      case record::EventKind::program:
        return read_program(event, recording_.processes[thread.process]);
      case record::EventKind::module:
        return read_module(event, thread.process, now);
      case record::EventKind::site:
        return read_site(event, thread.process);
      case record::EventKind::allocated:
      case record::EventKind::mapped:
      case record::EventKind::stack:
      case record::EventKind::slab:
      case record::EventKind::brk:
        if (const auto range = payload<record::Allocated>(event)) {
          const auto mapped = payload<record::Mapped>(event);
          memory_.add_range(thread.process, event, *range, mapped ? &*mapped : nullptr);
          objects_->add_range(
              event.kind, *range, thread, sites_->site_of(thread.process, range->site), now,
              mapped ? name_of_mapping(*mapped, text_of(event, sizeof *mapped)) : "");
        }
        return;
      case record::EventKind::described:
        if (const auto range = payload<record::Allocated>(event))
          objects_->describe(thread.process, *range, std::string(text_of(event, sizeof *range)));
        return;
      case record::EventKind::freed:
      case record::EventKind::unmapped:
        if (const auto freed = payload<record::Freed>(event))
          objects_->free(thread.process, *freed, now);
        return;
      case record::EventKind::small:
        if (const auto small = payload<record::SmallAllocations>(event))
          objects_->add_small(thread.process, small->site, small->count);
        return;
      case record::EventKind::name:
        if (const auto named = payload<record::Named>(event))
          if (const std::uint32_t of = thread_of(thread.process, named->tid); of != kNone)
            recording_.threads[of].name = text_of(event, sizeof(record::Named));
        return;
      case record::EventKind::affinity:
        if (const auto bound = payload<record::Bound>(event))
          if (const std::uint32_t of = thread_of(thread.process, bound->tid); of != kNone)
            recording_.threads[of].pu = std::max(bound->pu, -1);
        return;
      case record::EventKind::joined:
        if (const auto joined = payload<record::Joined>(event))
          if (const std::uint32_t of =
                  thread_called(thread.process, joined->number, joined->since_ns);
              of != kNone) {
            recording_.threads[of].joined_ns = now_ns;
            if (is_stream()) recording_.threads[of].joined_event = event.sequence;
          }
        return;
      case record::EventKind::detached:
        if (const auto detached = payload<record::Detached>(event))
          if (const std::uint32_t of =
                  thread_called(thread.process, detached->number, event.time_ns);
              of != kNone)
            detached_.insert(of);
        return;
      case record::EventKind::mark:
      case record::EventKind::creating:
      case record::EventKind::placed:
        return;
    }
  }

  [[nodiscard]] bool is_stream() const { return region_.header().mode == record::Mode::stream; }

  /// Clock at the fork, for processes whose fork libc did not report: that before the first event
  /// of their first thread.
  [[nodiscard]] std::uint64_t began_after(std::uint32_t process) const {
    std::uint64_t first = kNoEvent;
    for (const Thread& thread : recording_.threads)
      if (thread.process == process) first = std::min(first, thread.begun_event);
    return first == kNoEvent ? 0 : first;
  }

  /// Numbers the streams in the order in which the threads began.
  void number_streams() {
    const std::vector<std::uint32_t> ids = ids_by_beginning(region_);
    for (std::uint32_t stream = 0; stream < ids.size(); ++stream)
      recording_.threads[ids[stream]].stream = stream;
  }

  static void read_program(const record::Event& event, Process& process) {
    process.executable = text_of(event, 0);
    process.command.clear();
    for (std::size_t at = process.executable.size() + 1; at < event.bytes;) {
      process.command.emplace_back(text_of(event, at));
      at += process.command.back().size() + 1;
    }
  }

  void read_module(const record::Event& event, std::uint32_t process, Moment now) {
    const auto loaded = payload<record::ModuleLoaded>(event);
    if (!loaded || loaded->begin >= loaded->end || loaded->end > kAddresses) return;
    const process::LoadedModule module = {std::string(text_of(event, sizeof *loaded)), loaded->bias,
                                          loaded->begin, loaded->end};
    if (!sites_->add_module(process, module)) return;
    memory_.add_module(process, event, module);
    objects_->add_module(process, module, now);
  }

  void read_site(const record::Event& event, std::uint32_t process) {
    const auto site = payload<record::SiteSeen>(event);
    if (!site || site->levels > kMaxLevels ||
        event.bytes < sizeof *site + site->levels * sizeof(std::uint64_t))
      return;
    std::array<std::uint64_t, kMaxLevels> addresses;
    std::memcpy(addresses.data(), reinterpret_cast<const std::uint8_t*>(&event + 1) + sizeof *site,
                site->levels * sizeof(std::uint64_t));
    sites_->add_site(process, site->site, {addresses.data(), site->levels});
  }

  void name_creation_sites() {
    for (std::size_t i = 0; i < threads_.size(); ++i)
      if (threads_[i].creation != nullptr)
        recording_.threads[i].creation_site =
            sites_->site_of(recording_.threads[i].process, threads_[i].creation->site);
  }

  void name_fill_sites() {
    if (is_stream() || region_.header().by_task != 0) return;
    // Pages that were used before the recorded part of the run have no record of that use.
    for (const Loss& loss : losses_of(region_))
      if (loss.kind == LossKind::accesses_outside) return;
    FillPlaces places;
    for (std::size_t i = 0; i < threads_.size(); ++i)
      if (threads_[i].record != nullptr)
        places.add_thread(region_, recording_.threads[i].process, *threads_[i].record);
    for (const auto& [object, place] : places.of_objects(index_))
      recording_.objects[object].fill_site = sites_->add_place(place.process, place.address);
  }

  /// Ends all threads at the latest when their process ends, and frees their places then.
  void end_threads() {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      Thread& thread = recording_.threads[i];
      if (thread.ended_ns == 0) thread.ended_ns = recording_.processes[thread.process].ended_ns;
      if (thread.joined_ns != 0 && (thread.ended_ns == 0 || thread.ended_ns > thread.joined_ns))
        thread.ended_ns = thread.joined_ns;
      if (thread.ended_ns != 0) thread.ended_ns = std::max(thread.ended_ns, thread.started_ns);
      if (thread.joined_ns != 0) continue;
      const bool joins_seen = threads_[i].creation != nullptr && threads_[i].creation->site != 0;
      const bool is_kept = joins_seen && !detached_.contains(thread.id);
      thread.joined_ns = is_kept ? recording_.processes[thread.process].ended_ns : thread.ended_ns;
      if (thread.joined_ns != 0) thread.joined_ns = std::max(thread.joined_ns, thread.ended_ns);
    }
  }

  void name_forked_processes() {
    for (Process& process : recording_.processes)  // a forked child runs its parent's program
      if (process.executable.empty() && process.parent != kNone) {
        process.executable = recording_.processes[process.parent].executable;
        process.command = recording_.processes[process.parent].command;
      }
  }

  const RegionView& region_;
  process::Symbols& symbols_;
  ObjectIndex& index_;
  MappedMemory memory_;
  const StreamedPages& streamed_;
  Recording recording_;
  std::uint64_t started_ns_ = 0;
  std::vector<record::Offset> process_offsets_;
  std::unordered_map<record::Offset, std::uint32_t> process_ids_;
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> by_tid_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::uint32_t>> by_number_;
  std::set<std::uint32_t> detached_;
  std::set<std::uint32_t> begun_;           ///< threads with at least one event
  std::vector<std::uint32_t> forked_from_;  ///< by process: parent by a fork; kNone: none
  std::vector<SeenEvent> events_;
  std::optional<SiteTable> sites_;
  std::optional<ObjectTable> objects_;
  std::vector<ThreadOfRegion> threads_;  ///< by id
};

}  // namespace

Recording read_events(const RegionView& region, std::uint64_t epoch_ns,
                      const std::map<pid_t, int>& ended, process::Symbols& symbols,
                      ObjectIndex& index, PhysicalPages& pages, const StreamedPages& streamed) {
  Recording recording = EventReader(region, symbols, index, pages, streamed).read();
  std::map<int, Process*> last_of_pid;
  for (Process& process : recording.processes) last_of_pid[process.pid] = &process;
  for (const auto& [pid, process] : last_of_pid) {
    const auto status = ended.find(pid);
    if (status == ended.end()) continue;
    process->exit_code.reset();  // the status from waitpid() takes precedence
    if (WIFEXITED(status->second)) process->exit_code = WEXITSTATUS(status->second);
    if (WIFSIGNALED(status->second)) process->signal = WTERMSIG(status->second);
  }
  recording.losses = losses_of(region);
  recording.split_accesses = split_accesses_of(region);
  recording.epoch_ns = epoch_ns;
  recording.epochs = static_cast<int>(std::min(region.header().epoch.load(), 63U)) + 1;
  return recording;
}

}  // namespace Atoll::recording
