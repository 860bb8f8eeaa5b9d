#include "trace/read_events.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "trace/module_pages.hpp"
#include "trace/object_table.hpp"
#include "trace/read_region.hpp"
#include "trace/site_table.hpp"

namespace Atoll::trace {
namespace {

namespace rec = recorder;

constexpr std::uint32_t kMostLevels = 256;

struct SeenEvent {
  const rec::Event* event;
  std::uint32_t thread;
};

template <typename T>
std::optional<T> payload(const rec::Event& event) {
  if (event.bytes < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, &event + 1, sizeof value);
  return value;
}

/// The text behind the first `skip` bytes, up to its zero.
std::string_view text_of(const rec::Event& event, std::size_t skip) {
  if (event.bytes <= skip) return {};
  const std::string_view text(reinterpret_cast<const char*>(&event + 1) + skip, event.bytes - skip);
  return text.substr(0, text.find('\0'));
}

class EventReader {
 public:
  EventReader(const RegionView& region, Symbols& symbols, ObjectIndex& index)
      : region_(region), symbols_(symbols), index_(index) {}

  Recording read() {
    read_processes();
    read_threads();
    read_accessed_pages();
    for (const SeenEvent& seen : events_) read_event(seen);
    recording_.sites = sites_->take_sites();
    recording_.objects = objects_->take();
    number_threads();
    name_forked_processes();
    return std::move(recording_);
  }

 private:
  [[nodiscard]] std::uint64_t since_start(std::uint64_t ns) const {
    return ns > started_ns_ ? ns - started_ns_ : 0;
  }

  void read_processes() {
    const std::vector<rec::Offset> offsets = processes_of(region_);
    std::unordered_map<rec::Offset, std::uint32_t> ids;
    started_ns_ = region_.header().started_ns;
    for (const rec::Offset offset : offsets) {
      const auto& record = *region_.at<rec::ProcessRecord>(offset);
      if (started_ns_ == 0) started_ns_ = record.started_ns;
      const auto id = static_cast<std::uint32_t>(ids.size());
      const auto parent = ids.find(record.parent);
      recording_.processes.push_back({.id = id,
                                      .pid = record.pid,
                                      .parent = parent == ids.end() ? kNone : parent->second,
                                      .started_ns = since_start(record.started_ns),
                                      .ended_ns = since_start(record.ended_ns.load())});
      ids[offset] = id;
    }
    process_ids_ = std::move(ids);
    forked_from_.resize(recording_.processes.size(), kNone);
  }

  void read_threads() {
    std::vector<bool> executed(recording_.processes.size(), false);  // its memory is its own
    if (executed.empty()) return;
    for (const rec::Offset offset : threads_of(region_)) {
      const auto& record = *region_.at<rec::ThreadRecord>(offset);
      const auto process = process_ids_.find(record.process);
      const auto id = static_cast<std::uint32_t>(recording_.threads.size());
      Thread thread{.id = id,
                    .process = process == process_ids_.end() ? 0 : process->second,
                    .tid = record.tid,
                    .started_ns = since_start(record.started_ns),
                    .ended_ns = since_start(record.ended_ns.load())};
      thread.creator = thread_of(thread.process, record.creator_tid);
      recording_.threads.push_back(thread);
      if (process == process_ids_.end()) continue;  // damaged: nothing of it is read
      by_tid_[{thread.process, record.tid}] = id;
      region_.for_each<rec::Event>(
          record.events.load(), [&](const rec::Event& event, rec::Offset at) {
            if (region_.at<std::uint8_t>(at + sizeof event, event.bytes) == nullptr) return;
            events_.push_back({&event, id});
            if (event.kind == rec::EventKind::program) executed[thread.process] = true;
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
    }
  }

  /// The last thread of that number so far; kNone: none.
  [[nodiscard]] std::uint32_t thread_of(std::uint32_t process, std::int32_t tid) const {
    const auto found = by_tid_.find({process, tid});
    return tid == 0 || found == by_tid_.end() ? kNone : found->second;
  }

  void read_accessed_pages() {
    ModulePages accessed(forked_from_);
    for (const SeenEvent& seen : events_)
      if (seen.event->kind == rec::EventKind::module)
        if (const auto loaded = payload<rec::ModuleLoaded>(*seen.event))
          accessed.add_module(recording_.threads[seen.thread].process, loaded->begin, loaded->end);
    const std::vector<rec::Offset> offsets = threads_of(region_);
    for (std::size_t i = 0; i < recording_.threads.size(); ++i)
      accessed.add_thread(region_, recording_.threads[i].process,
                          *region_.at<rec::ThreadRecord>(offsets[i]));
    sites_.emplace(forked_from_, symbols_);
    objects_.emplace(forked_from_, recording_.threads, std::move(accessed), symbols_, index_);
  }

  void read_event(const SeenEvent& seen) {
    const rec::Event& event = *seen.event;
    Thread& thread = recording_.threads[seen.thread];
    const std::uint64_t now_ns = since_start(event.time_ns);
    switch (event.kind) {
      case rec::EventKind::program:
        return read_program(event, recording_.processes[thread.process]);
      case rec::EventKind::module:
        return read_module(event, thread.process, now_ns);
      case rec::EventKind::site:
        return read_site(event, thread.process);
      case rec::EventKind::allocated:
      case rec::EventKind::mapped:
      case rec::EventKind::stack:
      case rec::EventKind::slab:
      case rec::EventKind::brk:
        if (const auto range = payload<rec::Allocated>(event))
          objects_->add_range(event.kind, *range, thread,
                              sites_->site_of(thread.process, range->site), now_ns);
        return;
      case rec::EventKind::freed:
      case rec::EventKind::unmapped:
        if (const auto freed = payload<rec::Freed>(event))
          objects_->free(thread.process, freed->address, now_ns);
        return;
      case rec::EventKind::small:
        if (const auto small = payload<rec::SmallAllocations>(event))
          objects_->add_small(thread.process, small->site, small->count);
        return;
      case rec::EventKind::thread:
        if (const auto created = payload<rec::ThreadCreated>(event)) {
          thread.creation_site = sites_->site_of(thread.process, created->site);
          orders_[seen.thread] = created->order;
        }
        return;
      case rec::EventKind::name:
        if (const auto named = payload<rec::Named>(event))
          if (const std::uint32_t of = thread_of(thread.process, named->tid); of != kNone)
            recording_.threads[of].name = text_of(event, sizeof(rec::Named));
        return;
      case rec::EventKind::affinity:
        if (const auto bound = payload<rec::Bound>(event))
          if (const std::uint32_t of = thread_of(thread.process, bound->tid); of != kNone)
            recording_.threads[of].pu = std::max(bound->pu, -1);
        return;
      case rec::EventKind::mark:
        return;
    }
  }

  static void read_program(const rec::Event& event, Process& process) {
    process.executable = text_of(event, 0);
    process.command.clear();
    for (std::size_t at = process.executable.size() + 1; at < event.bytes;) {
      process.command.emplace_back(text_of(event, at));
      at += process.command.back().size() + 1;
    }
  }

  void read_module(const rec::Event& event, std::uint32_t process, std::uint64_t now_ns) {
    const auto loaded = payload<rec::ModuleLoaded>(event);
    if (!loaded || loaded->begin >= loaded->end || loaded->end > kAddresses) return;
    const LoadedModule module = {std::string(text_of(event, sizeof *loaded)), loaded->bias,
                                 loaded->begin, loaded->end};
    if (sites_->add_module(process, module)) objects_->add_module(process, module, now_ns);
  }

  void read_site(const rec::Event& event, std::uint32_t process) {
    const auto site = payload<rec::SiteSeen>(event);
    if (!site || site->levels > kMostLevels ||
        event.bytes < sizeof *site + site->levels * sizeof(std::uint64_t))
      return;
    std::array<std::uint64_t, kMostLevels> addresses;
    std::memcpy(addresses.data(), reinterpret_cast<const std::uint8_t*>(&event + 1) + sizeof *site,
                site->levels * sizeof(std::uint64_t));
    sites_->add_site(process, site->site, {addresses.data(), site->levels});
  }

  /// Places in the order of creation, from 0 for the first thread of a process; threads whose
  /// creation wasn't seen come last.
  void number_threads() {
    std::vector<std::vector<std::uint32_t>> of_process(recording_.processes.size());
    for (const Thread& thread : recording_.threads) of_process[thread.process].push_back(thread.id);
    for (std::vector<std::uint32_t>& threads : of_process) {
      if (threads.empty()) continue;
      const std::uint32_t first = threads.front();
      const auto place = [&](std::uint32_t id) -> std::uint64_t {
        const auto seen = orders_.find(id);
        if (seen != orders_.end()) return std::uint64_t{seen->second} + 1;
        return id == first ? 0 : kAddresses + id;
      };
      std::ranges::stable_sort(threads, {}, place);
      for (std::uint32_t i = 0; i < threads.size(); ++i) recording_.threads[threads[i]].order = i;
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
  Symbols& symbols_;
  ObjectIndex& index_;
  Recording recording_;
  std::uint64_t started_ns_ = 0;
  std::unordered_map<rec::Offset, std::uint32_t> process_ids_;
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> by_tid_;
  std::vector<std::uint32_t> forked_from_;  ///< by process: whose memory, sites and modules it has
  std::vector<SeenEvent> events_;
  std::optional<SiteTable> sites_;
  std::optional<ObjectTable> objects_;
  std::unordered_map<std::uint32_t, std::uint32_t> orders_;  ///< by thread, as its creator counted
};

}  // namespace

Recording read_events(const RegionView& region, std::uint64_t epoch_ns,
                      const std::map<pid_t, int>& ended, Symbols& symbols, ObjectIndex& index) {
  Recording recording = EventReader(region, symbols, index).read();
  std::map<int, Process*> last_of_pid;
  for (Process& process : recording.processes) last_of_pid[process.pid] = &process;
  for (const auto& [pid, process] : last_of_pid) {
    const auto status = ended.find(pid);
    if (status == ended.end()) continue;
    if (WIFEXITED(status->second)) process->exit_code = WEXITSTATUS(status->second);
    if (WIFSIGNALED(status->second)) process->signal = WTERMSIG(status->second);
  }
  recording.losses = losses_of(region);
  recording.split_accesses = split_accesses_of(region);
  recording.epoch_ns = epoch_ns;
  recording.epochs = static_cast<int>(std::min(region.header().epoch.load(), 63U)) + 1;
  return recording;
}

}  // namespace Atoll::trace
