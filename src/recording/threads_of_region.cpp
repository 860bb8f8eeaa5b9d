#include "recording/threads_of_region.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "atoll/recording/recording.hpp"

namespace Atoll::recording {
namespace {

using record::CreationRecord;
using record::Offset;
using record::ProcessRecord;
using record::ThreadRecord;

template <typename T>
std::vector<Offset> as_listed(const RegionView& region, Offset last) {
  std::vector<Offset> found;
  region.for_each<T>(last, [&](const T&, Offset offset) { found.push_back(offset); });
  std::ranges::reverse(found);
  return found;
}

/// Creations of threads by process and tid, in order of time. The system reuses the tids of ended
/// threads.
class Creations {
 public:
  explicit Creations(const RegionView& region) {
    region.for_each<CreationRecord>(region.header().creations.load(),
                                    [&](const CreationRecord& creation, Offset) {
                                      const std::int32_t tid = creation.tid.load();
                                      if (tid == 0) never_began_.push_back(&creation);
                                      if (tid > 0)
                                        by_tid_[{creation.process, tid}].push_back(&creation);
                                    });
    for (auto& [key, creations] : by_tid_)
      std::ranges::stable_sort(creations, {}, &CreationRecord::created_ns);
  }

  /// Returns the last creation before the thread began; null if there is none.
  [[nodiscard]] const CreationRecord* of(const ThreadRecord& thread) const {
    const auto found = by_tid_.find({thread.process, thread.tid});
    if (found == by_tid_.end()) return nullptr;
    const auto after =
        std::ranges::upper_bound(found->second, thread.started_ns, {}, &CreationRecord::created_ns);
    return after == found->second.begin() ? nullptr : *(after - 1);
  }
  [[nodiscard]] const std::vector<const CreationRecord*>& never_began() const {
    return never_began_;
  }

 private:
  std::map<std::pair<Offset, std::int32_t>, std::vector<const CreationRecord*>> by_tid_;
  std::vector<const CreationRecord*> never_began_;
};

}  // namespace

std::uint64_t created_ns(const RegionView& region, const ProcessRecord& process) {
  if (process.created_ns != 0) return process.created_ns;
  const auto* before = region.at<ProcessRecord>(process.parent);
  const bool executed = before != nullptr && before->pid == process.pid;
  const std::uint64_t ended_ns = executed ? before->ended_ns.load() : 0;
  return ended_ns != 0 ? ended_ns : process.started_ns;
}

std::vector<Offset> processes_of(const RegionView& region) {
  std::vector<Offset> processes =
      as_listed<ProcessRecord>(region, region.header().processes.load());
  std::ranges::stable_sort(processes, {}, [&](Offset offset) {
    return created_ns(region, *region.at<ProcessRecord>(offset));
  });
  return processes;
}

std::vector<ThreadOfRegion> threads_of(const RegionView& region) {
  const Creations creations(region);
  std::unordered_map<Offset, std::uint64_t> processes;  // without first thread so far
  for (const Offset offset : as_listed<ProcessRecord>(region, region.header().processes.load()))
    processes.emplace(offset, created_ns(region, *region.at<ProcessRecord>(offset)));
  std::vector<ThreadOfRegion> threads;
  region.for_each<ThreadRecord>(
      region.header().threads.load(), [&](const ThreadRecord& record, Offset offset) {
        threads.push_back({.offset = offset, .record = &record, .process = record.process});
      });
  std::ranges::reverse(threads);
  for (ThreadOfRegion& thread : threads) {
    thread.creation = creations.of(*thread.record);
    thread.created_ns =
        thread.creation != nullptr ? thread.creation->created_ns : thread.record->started_ns;
    // A process's first thread has the process's creation time.
    if (const auto first = processes.extract(thread.process); !first.empty())
      thread.created_ns = first.mapped();
  }
  for (const CreationRecord* creation : creations.never_began())
    threads.push_back(
        {.creation = creation, .process = creation->process, .created_ns = creation->created_ns});
  std::ranges::stable_sort(threads, {}, &ThreadOfRegion::created_ns);
  return threads;
}

std::vector<std::uint32_t> ids_by_beginning(const RegionView& region) {
  std::unordered_map<Offset, std::uint32_t> ids;
  const std::vector<ThreadOfRegion> threads = threads_of(region);
  for (std::uint32_t id = 0; id < threads.size(); ++id)
    if (threads[id].record != nullptr) ids.emplace(threads[id].offset, id);
  std::vector<std::uint32_t> numbers;
  for (const Offset offset : as_listed<ThreadRecord>(region, region.header().threads.load()))
    numbers.push_back(ids.at(offset));
  return numbers;
}

}  // namespace Atoll::recording
