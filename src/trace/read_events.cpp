#include "trace/read_events.hpp"

#include <fmt/format.h>

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "trace/module_pages.hpp"
#include "trace/read_region.hpp"
#include "trace/site_table.hpp"

namespace Atoll::trace {
namespace {

namespace rec = recorder;

constexpr std::uint64_t kAddresses = std::uint64_t{1} << 56;
constexpr std::uint32_t kMostLevels = 256;

struct SeenEvent {
  const rec::Event* event;
  std::uint32_t thread;
};

/// What is known of a process while its events are read.
struct Reading {
  std::uint32_t parent = kNone;  ///< whose sites and modules it has too: it was forked
  std::unordered_map<std::uint32_t, std::uint32_t> sites;   ///< its number -> Recording's
  std::unordered_map<std::uint32_t, std::uint32_t> pools;   ///< its site -> object
  std::unordered_map<std::uint32_t, std::uint32_t> orders;  ///< Recording's site -> objects so far
  std::unordered_map<std::uint64_t, std::uint32_t> by_begin;  ///< address -> object, alive
  std::unordered_map<std::uint64_t, std::uint32_t> stacks;    ///< address -> object
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
    number_threads();
    finish_objects();
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
    readings_.resize(recording_.processes.size());
  }

  void read_threads() {
    std::vector<bool> executed(readings_.size(), false);  // its memory is its own
    if (readings_.empty()) return;
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
    for (std::uint32_t i = 0; i < readings_.size(); ++i) {
      const std::uint32_t parent = recording_.processes[i].parent;
      if (!executed[i] && parent != kNone &&
          recording_.processes[parent].pid != recording_.processes[i].pid)
        readings_[i].parent = parent;
      index_.add_process(
          readings_[i].parent,
          add_object({.kind = ObjectKind::other, .process = i, .name = "not in any object"}));
    }
  }

  /// The last thread of that number so far; kNone: none.
  [[nodiscard]] std::uint32_t thread_of(std::uint32_t process, std::int32_t tid) const {
    const auto found = by_tid_.find({process, tid});
    return tid == 0 || found == by_tid_.end() ? kNone : found->second;
  }

  void read_accessed_pages() {
    std::vector<std::uint32_t> parents;
    for (const Reading& reading : readings_) parents.push_back(reading.parent);
    module_pages_.emplace(parents);
    sites_.emplace(std::move(parents), symbols_);
    for (const SeenEvent& seen : events_)
      if (seen.event->kind == rec::EventKind::module)
        if (const auto loaded = payload<rec::ModuleLoaded>(*seen.event))
          module_pages_->add_module(recording_.threads[seen.thread].process, loaded->begin,
                                    loaded->end);
    const std::vector<rec::Offset> offsets = threads_of(region_);
    for (std::size_t i = 0; i < recording_.threads.size(); ++i)
      module_pages_->add_thread(region_, recording_.threads[i].process,
                                *region_.at<rec::ThreadRecord>(offsets[i]));
  }

  void read_event(const SeenEvent& seen) {
    const rec::Event& event = *seen.event;
    Thread& thread = recording_.threads[seen.thread];
    Reading& reading = readings_[thread.process];
    switch (event.kind) {
      case rec::EventKind::program:
        return read_program(event, recording_.processes[thread.process]);
      case rec::EventKind::module:
        return read_module(event, thread.process);
      case rec::EventKind::site:
        return read_site(event, thread.process);
      case rec::EventKind::allocated:
      case rec::EventKind::mapped:
      case rec::EventKind::stack:
      case rec::EventKind::slab:
        return read_range(event, thread, reading);
      case rec::EventKind::freed:
      case rec::EventKind::unmapped:
        if (const auto freed = payload<rec::Freed>(event))
          if (const auto found = reading.by_begin.find(freed->address);
              found != reading.by_begin.end()) {
            recording_.objects[found->second].freed_ns = since_start(event.time_ns);
            reading.by_begin.erase(found);
          }
        return;
      case rec::EventKind::small:
        if (const auto small = payload<rec::SmallAllocations>(event))
          if (const auto pool = reading.pools.find(small->site); pool != reading.pools.end())
            recording_.objects[pool->second].allocations += small->count;
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

  void read_module(const rec::Event& event, std::uint32_t process) {
    const auto loaded = payload<rec::ModuleLoaded>(event);
    if (!loaded || loaded->begin >= loaded->end || loaded->end > kAddresses) return;
    const std::string path(text_of(event, sizeof(rec::ModuleLoaded)));
    if (!sites_->add_module(process, {path, loaded->bias, loaded->begin, loaded->end})) return;
    if (!module_pages_->accessed(process, loaded->begin, loaded->end)) return;
    const std::string& build_id = symbols_.build_id(path);
    const std::uint64_t created = since_start(event.time_ns);
    index_.put(process, loaded->begin, loaded->end,
               add_object({.kind = ObjectKind::mapping,
                           .process = process,
                           .name = std::filesystem::path(path).filename().string(),
                           .address = loaded->begin,
                           .bytes = loaded->end - loaded->begin,
                           .module = path,
                           .build_id = build_id,
                           .created_ns = created}));
    for (const StaticVariable& variable : symbols_.variables(path)) {
      const std::uint64_t begin = loaded->bias + variable.address;
      if (begin < loaded->begin || begin >= loaded->end || variable.bytes > loaded->end - begin ||
          !module_pages_->accessed(process, begin, begin + variable.bytes))
        continue;
      index_.put(process, begin, begin + variable.bytes,
                 add_object({.kind = ObjectKind::global,
                             .process = process,
                             .name = variable.name,
                             .address = begin,
                             .bytes = variable.bytes,
                             .module = path,
                             .build_id = build_id,
                             .offset = variable.address,
                             .created_ns = created}));
    }
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

  void read_range(const rec::Event& event, const Thread& thread, Reading& reading) {
    const auto range = payload<rec::Allocated>(event);
    if (!range || range->address > kAddresses || range->bytes > kAddresses) return;
    const std::uint32_t site =
        event.kind == rec::EventKind::stack ? kNone : sites_->site_of(thread.process, range->site);
    const std::uint64_t begin = range->address, end = range->address + range->bytes;
    if (event.kind == rec::EventKind::stack) {
      const auto known = reading.stacks.find(begin);
      if (known != reading.stacks.end() &&
          recording_.objects[known->second].bytes == range->bytes) {
        threads_of_stacks_[known->second].push_back(thread.id);
        return index_.put(thread.process, begin, end, known->second);
      }
    }
    if (event.kind == rec::EventKind::slab) {
      const auto pool = reading.pools.find(range->site);
      if (pool != reading.pools.end()) {
        recording_.objects[pool->second].bytes += range->bytes;
        return index_.put(thread.process, begin, end, pool->second);
      }
    }
    Object object{.process = thread.process,
                  .site = site,
                  .thread = thread.id,
                  .address = begin,
                  .bytes = range->bytes,
                  .created_ns = since_start(event.time_ns)};
    if (event.kind == rec::EventKind::stack) {
      object.kind = ObjectKind::stack;
      object.name = fmt::format("stack of thread {}", thread.id);
    } else {
      object.kind = event.kind == rec::EventKind::slab     ? ObjectKind::pool
                    : event.kind == rec::EventKind::mapped ? ObjectKind::mapping
                                                           : ObjectKind::heap;
      object.order = reading.orders[site]++;
    }
    if (object.kind == ObjectKind::pool) object.allocations = 0;
    const std::uint32_t id = add_object(std::move(object));
    if (event.kind == rec::EventKind::slab)
      reading.pools[range->site] = id;
    else
      reading.by_begin[begin] = id;
    if (event.kind == rec::EventKind::stack) {
      reading.stacks[begin] = id;
      threads_of_stacks_[id] = {thread.id};
    }
    index_.note_reuse(thread.process, begin, end, [&](std::uint32_t before) {
      if (recording_.objects[before].kind != ObjectKind::stack)
        return recording_.objects[before].freed_ns != 0;
      const std::uint64_t ended = recording_.threads[threads_of_stacks_[before].back()].ended_ns;
      return ended != 0 && ended <= since_start(event.time_ns);
    });
    index_.put(thread.process, begin, end, id);
  }

  /// Places in the order of creation, from 0 for the first thread of a process; threads whose
  /// creation wasn't seen come last.
  void number_threads() {
    std::vector<std::vector<std::uint32_t>> of_process(readings_.size());
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

  void finish_objects() {
    for (Object& object : recording_.objects)  // a pool of a process that couldn't tell the rest
      object.allocations = std::max<std::uint64_t>(object.allocations, 1);
    for (auto& [id, threads] : threads_of_stacks_) {
      threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
      if (threads.size() == 1) continue;
      const std::size_t named = std::min<std::size_t>(threads.size(), 4);
      recording_.objects[id].name = fmt::format(
          "stacks of threads {}{}", fmt::join(threads.begin(), threads.begin() + named, ", "),
          named < threads.size() ? ", …" : "");
      recording_.objects[id].thread = kNone;
    }
    for (Process& process : recording_.processes)  // a forked child runs its parent's program
      if (process.executable.empty() && process.parent != kNone) {
        process.executable = recording_.processes[process.parent].executable;
        process.command = recording_.processes[process.parent].command;
      }
  }

  std::uint32_t add_object(Object object) {
    object.id = static_cast<std::uint32_t>(recording_.objects.size());
    recording_.objects.push_back(std::move(object));
    return recording_.objects.back().id;
  }

  const RegionView& region_;
  Symbols& symbols_;
  ObjectIndex& index_;
  Recording recording_;
  std::uint64_t started_ns_ = 0;
  std::unordered_map<rec::Offset, std::uint32_t> process_ids_;
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> by_tid_;
  std::vector<Reading> readings_;
  std::optional<ModulePages> module_pages_;
  std::vector<SeenEvent> events_;
  std::optional<SiteTable> sites_;
  /// By object: threads whose stacks had the same addresses, one after the other.
  std::map<std::uint32_t, std::vector<std::uint32_t>> threads_of_stacks_;
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
