#include "trace/read_events.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

#include "trace/read_region.hpp"

namespace Atoll::trace {
namespace {

using recorder::Event;
using recorder::EventKind;
using recorder::Offset;

/// Code and data at [begin, end).
struct LoadedModule {
  std::uint64_t begin = 0, end = 0, bias = 0;
  std::string path;
};

/// An event with who it is of.
struct Told {
  const Event* event;
  std::uint32_t thread, process;
  [[nodiscard]] const std::uint8_t* payload() const {
    return reinterpret_cast<const std::uint8_t*>(event + 1);
  }
  /// The payload's first part; nothing where there is less.
  template <typename T>
  [[nodiscard]] std::optional<T> as() const {
    if (event->bytes < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, payload(), sizeof value);
    return value;
  }
  /// The text behind `skipped` bytes, up to its zero.
  [[nodiscard]] std::string text(std::size_t skipped) const {
    if (event->bytes <= skipped) return {};
    const auto* begin = reinterpret_cast<const char*>(payload()) + skipped;
    return {begin, ::strnlen(begin, event->bytes - skipped)};
  }
};

class EventReader {
 public:
  EventReader(const RegionView& region, Symbols& symbols, ObjectIndex& index)
      : region_(region), symbols_(symbols), index_(index) {}

  Recording read(const std::map<pid_t, int>& ended) {
    add_processes(ended);
    add_threads();
    std::ranges::sort(events_, {}, [](const Told& told) { return told.event->sequence; });
    for (const Told& told : events_) first_pass(told);
    name_forked_processes();
    add_globals();
    for (const Told& told : events_) second_pass(told);
    finish_pools();
    add_others();
    return std::move(recording_);
  }

 private:
  [[nodiscard]] std::uint64_t since_start(std::uint64_t ns) const {
    const std::uint64_t start = region_.header().started_ns;
    return ns > start ? ns - start : 0;
  }

  void add_processes(const std::map<pid_t, int>& ended) {
    const std::vector<Offset> offsets = processes_of(region_);
    std::map<Offset, std::uint32_t> ids;
    std::map<int, std::uint32_t> last_of_pid;
    for (const Offset offset : offsets) {
      const auto& record = *region_.at<recorder::ProcessRecord>(offset);
      Process process;
      process.id = static_cast<std::uint32_t>(recording_.processes.size());
      process.pid = record.pid;
      if (const auto parent = ids.find(record.parent); parent != ids.end())
        process.parent = parent->second;
      process.started_ns = since_start(record.started_ns);
      process.ended_ns = since_start(record.ended_ns.load());
      ids[offset] = process.id;
      last_of_pid[process.pid] = process.id;
      recording_.processes.push_back(std::move(process));
    }
    for (const auto& [pid, id] : last_of_pid) {
      const auto status = ended.find(pid);
      if (status == ended.end()) continue;
      if (WIFEXITED(status->second))
        recording_.processes[id].exit_code = WEXITSTATUS(status->second);
      if (WIFSIGNALED(status->second)) recording_.processes[id].signal = WTERMSIG(status->second);
    }
    process_ids_ = std::move(ids);
    modules_.resize(recording_.processes.size());
    sites_.resize(recording_.processes.size());
  }

  /// A forked child runs its parent's program until it executes another.
  void name_forked_processes() {
    for (Process& process : recording_.processes) {
      if (!process.executable.empty() || process.parent == kNone) continue;
      process.executable = recording_.processes[process.parent].executable;
      process.command = recording_.processes[process.parent].command;
    }
  }

  void add_threads() {
    std::vector<std::map<int, std::uint32_t>> by_tid(recording_.processes.size());
    std::vector<std::uint32_t> threads_of_process(recording_.processes.size());
    for (const Offset offset : threads_of(region_)) {
      const auto& record = *region_.at<recorder::ThreadRecord>(offset);
      Thread thread;
      thread.id = static_cast<std::uint32_t>(recording_.threads.size());
      const auto process = process_ids_.find(record.process);
      thread.tid = record.tid;
      thread.started_ns = since_start(record.started_ns);
      thread.ended_ns = since_start(record.ended_ns.load());
      if (process != process_ids_.end()) {
        thread.process = process->second;
        thread.order = threads_of_process[thread.process]++;
        const auto creator = by_tid[thread.process].find(record.creator_tid);
        if (creator != by_tid[thread.process].end()) thread.creator = creator->second;
        by_tid[thread.process][record.tid] = thread.id;
        region_.for_each<Event>(record.events.load(), [&](const Event& event, Offset at) {
          if (region_.at<std::uint8_t>(at, sizeof(Event) + event.bytes) != nullptr)
            events_.push_back({&event, thread.id, thread.process});
        });
      }
      recording_.threads.push_back(std::move(thread));
    }
    thread_of_tid_ = std::move(by_tid);
  }

  std::uint32_t thread_of(std::uint32_t process, int tid, std::uint32_t otherwise) const {
    const auto found = thread_of_tid_[process].find(tid);
    return found == thread_of_tid_[process].end() ? otherwise : found->second;
  }

  /// Modules and sites first: what else is told refers to them.
  void first_pass(const Told& told) {
    switch (told.event->kind) {
      case EventKind::program: {
        Process& process = recording_.processes[told.process];
        process.executable = told.text(0);
        process.command.clear();
        for (std::size_t at = process.executable.size() + 1; at < told.event->bytes;) {
          process.command.push_back(told.text(at));
          at += process.command.back().size() + 1;
        }
        break;
      }
      case EventKind::module:
        if (const auto module = told.as<recorder::ModuleLoaded>())
          modules_[told.process].push_back(
              {module->begin, module->end, module->bias, told.text(sizeof *module)});
        break;
      case EventKind::site:
        if (const auto site = told.as<recorder::SiteSeen>())
          sites_[told.process].try_emplace(site->site, SiteOf{.told = &told});
        break;
      default:
        break;
    }
  }

  struct SiteOf {
    const Told* told = nullptr;  ///< its event
    std::uint32_t id = kNone;    ///< in the recording, once it is needed
    std::uint32_t pool = kNone;  ///< the object of its slabs
    std::uint32_t objects = 0;   ///< so far
  };

  /// A forked child keeps its parent's sites and modules.
  SiteOf* find_site(std::uint32_t process, std::uint32_t number) {
    for (std::uint32_t at = process; at != kNone; at = forked_from(at)) {
      const auto found = sites_[at].find(number);
      if (found != sites_[at].end())
        return at == process ? &found->second
                             : &sites_[process]
                                    .try_emplace(number, SiteOf{.told = found->second.told})
                                    .first->second;
    }
    return nullptr;
  }

  std::uint32_t forked_from(std::uint32_t process) const {
    const std::uint32_t parent = recording_.processes[process].parent;
    // After an exec nothing is as before.
    return parent == kNone || parent >= process ||
                   recording_.processes[parent].pid == recording_.processes[process].pid
               ? kNone
               : parent;
  }

  const LoadedModule* module_at(std::uint32_t process, std::uint64_t address) const {
    for (std::uint32_t at = process; at != kNone; at = forked_from(at))
      for (const LoadedModule& module : modules_[at])
        if (address >= module.begin && address < module.end) return &module;
    return nullptr;
  }

  std::uint32_t site_id(std::uint32_t process, std::uint32_t number) {
    SiteOf* site = find_site(process, number);
    if (site == nullptr) return kNone;
    if (site->id != kNone) return site->id;
    Site resolved;
    const auto seen = site->told->as<recorder::SiteSeen>();
    const std::size_t levels =
        std::min<std::size_t>(seen->levels, (site->told->event->bytes - sizeof *seen) / 8);
    for (std::size_t i = 0; i < levels; ++i) {
      std::uint64_t address = 0;
      std::memcpy(&address, site->told->payload() + sizeof *seen + 8 * i, sizeof address);
      const LoadedModule* module = module_at(process, address);
      if (module == nullptr) {
        resolved.frames.push_back({.offset = address});
        continue;
      }
      for (const Frame& frame : symbols_.frames(module->path, address - module->bias))
        resolved.frames.push_back(frame);
    }
    site->id = static_cast<std::uint32_t>(recording_.sites.size());
    recording_.sites.push_back(std::move(resolved));
    return site->id;
  }

  Object& new_object(const Told& told, ObjectKind kind, std::uint64_t address,
                     std::uint64_t bytes) {
    Object object;
    object.id = static_cast<std::uint32_t>(recording_.objects.size());
    object.kind = kind;
    object.process = told.process;
    object.thread = told.thread;
    object.address = address;
    object.bytes = bytes;
    object.created_ns = since_start(told.event->time_ns);
    recording_.objects.push_back(std::move(object));
    return recording_.objects.back();
  }

  void allocated(const Told& told, const recorder::Allocated& what, ObjectKind kind) {
    Object& object = new_object(told, kind, what.address, what.bytes);
    object.site = site_id(told.process, what.site);
    if (SiteOf* site = find_site(told.process, what.site)) object.order = site->objects++;
    live_[{told.process, what.address}] = object.id;
    index_.add(told.process, what.address, what.bytes, object.id);
  }

  void slab(const Told& told, const recorder::Allocated& what) {
    SiteOf* site = find_site(told.process, what.site);
    if (site == nullptr) return;
    if (site->pool == kNone) {
      Object& pool = new_object(told, ObjectKind::pool, what.address, 0);
      pool.allocations = 0;
      site->pool = pool.id;
      pool.site = site_id(told.process, what.site);
    }
    recording_.objects[site->pool].bytes += what.bytes;
    index_.add(told.process, what.address, what.bytes, site->pool);
  }

  void second_pass(const Told& told) {
    switch (told.event->kind) {
      case EventKind::allocated:
        if (const auto what = told.as<recorder::Allocated>())
          allocated(told, *what, ObjectKind::heap);
        break;
      case EventKind::mapped:
        if (const auto what = told.as<recorder::Allocated>())
          allocated(told, *what, ObjectKind::mapping);
        break;
      case EventKind::slab:
        if (const auto what = told.as<recorder::Allocated>()) slab(told, *what);
        break;
      case EventKind::small:
        if (const auto what = told.as<recorder::SmallAllocations>())
          if (SiteOf* site = find_site(told.process, what->site);
              site != nullptr && site->pool != kNone)
            recording_.objects[site->pool].allocations += what->count;
        break;
      case EventKind::freed:
      case EventKind::unmapped:
        if (const auto what = told.as<recorder::Freed>()) {
          const auto object = live_.find({told.process, what->address});
          if (object == live_.end()) break;
          recording_.objects[object->second].freed_ns = since_start(told.event->time_ns);
          live_.erase(object);
        }
        break;
      case EventKind::stack:
        if (const auto what = told.as<recorder::Allocated>()) {
          Object& object = new_object(told, ObjectKind::stack, what->address, what->bytes);
          object.name = "stack of thread " + std::to_string(told.thread);
          index_.add(told.process, what->address, what->bytes, object.id);
        }
        break;
      case EventKind::thread:
        if (const auto what = told.as<recorder::ThreadCreated>()) {
          recording_.threads[told.thread].creation_site = site_id(told.process, what->site);
        }
        break;
      case EventKind::name:
        if (const auto what = told.as<recorder::Named>())
          recording_.threads[thread_of(told.process, what->tid, told.thread)].name =
              told.text(sizeof *what);
        break;
      case EventKind::affinity:
        if (const auto what = told.as<recorder::Bound>())
          recording_.threads[thread_of(told.process, what->tid, told.thread)].pu = what->pu;
        break;
      default:
        break;
    }
  }

  void add_globals() {
    for (std::uint32_t process = 0; process < modules_.size(); ++process)
      for (const LoadedModule& module : modules_[process]) {
        const std::string& build_id = symbols_.build_id(module.path);
        for (const StaticVariable& variable : symbols_.variables(module.path)) {
          Object object;
          object.id = static_cast<std::uint32_t>(recording_.objects.size());
          object.kind = ObjectKind::global;
          object.process = process;
          object.name = variable.name;
          object.address = variable.address + module.bias;
          object.bytes = variable.bytes;
          object.module = module.path;
          object.build_id = build_id;
          object.offset = variable.address;
          index_.add(process, object.address, object.bytes, object.id);
          recording_.objects.push_back(std::move(object));
        }
      }
  }

  void finish_pools() {
    for (Object& object : recording_.objects)
      if (object.kind == ObjectKind::pool && object.allocations == 0) object.allocations = 1;
  }

  /// What no record covers: of each module, and the rest.
  void add_others() {
    for (const Process& process : recording_.processes) {
      Object object;
      object.id = static_cast<std::uint32_t>(recording_.objects.size());
      object.kind = ObjectKind::other;
      object.process = process.id;
      object.name = "not in any object";
      index_.set_other(process.id, object.id);
      recording_.objects.push_back(std::move(object));
    }
  }

  const RegionView& region_;
  Symbols& symbols_;
  ObjectIndex& index_;
  Recording recording_;
  std::map<Offset, std::uint32_t> process_ids_;
  std::vector<std::map<int, std::uint32_t>> thread_of_tid_;                ///< by process
  std::vector<std::vector<LoadedModule>> modules_;                         ///< by process
  std::vector<std::map<std::uint32_t, SiteOf>> sites_;                     ///< by process, number
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> live_;  ///< by process, address
  std::vector<Told> events_;
};

}  // namespace

Recording read_events(const RegionView& region, std::uint64_t epoch_ns,
                      const std::map<pid_t, int>& ended, Symbols& symbols, ObjectIndex& index) {
  Recording recording = EventReader(region, symbols, index).read(ended);
  recording.losses = losses_of(region);
  recording.split_accesses = split_accesses_of(region);
  recording.epoch_ns = epoch_ns;
  recording.epochs = static_cast<int>(std::min(region.header().epoch.load(), 63U)) + 1;
  return recording;
}

}  // namespace Atoll::trace
