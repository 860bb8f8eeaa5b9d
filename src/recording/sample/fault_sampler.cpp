#include "recording/sample/fault_sampler.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <set>

#include "atoll/base/error.hpp"

namespace Atoll::recording::sample {
namespace {

/// Maximum delay between a record's time and its appearance in the ring.
constexpr std::uint64_t kHeldBackNs = 1'000'000;

/// Returns true if a forked process's fault on inherited memory always copies a page. With
/// automatic NUMA balancing, the kernel causes other faults, too.
bool faults_copy() {
  std::ifstream setting("/proc/sys/kernel/numa_balancing");
  int value = 0;
  return !(setting >> value) || value == 0;
}

}  // namespace

std::uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

FaultSampler::FaultSampler() : permission_(permission_here()) {
  if (permission_ == Permission::none)
    obstacle_ = "page faults can't be sampled: " + how_to_allow();
}

void FaultSampler::start(pid_t pid) {
  if (!obstacle_.empty()) return;
  try {
    rings_ = std::make_unique<Rings>(page_faults(), pid, permission_ == Permission::all);
  } catch (const Error& error) {
    obstacle_ = error.what();
  }
}

std::optional<Unseen> FaultSampler::cant_see() const {
  if (!obstacle_.empty()) return Unseen{UnseenKind::first_touches, obstacle_};
  if (permission_ == Permission::without_kernel)
    return Unseen{UnseenKind::system_touches, "kernel.perf_event_paranoid is 2; 1 shows them"};
  return std::nullopt;
}

void FaultSampler::drain() {
  if (!rings_) return;
  drain_began_ns_ = monotonic_ns();
  const std::size_t before = waiting_.size();
  rings_->drain(waiting_);
  drained_ += waiting_.size() - before;
}

void FaultSampler::count(const MeaningOf& meaning_of, Epoch epoch, bool all) {
  // Rings are drained one after the other, which can take long on a busy computer. So records are
  // complete only up to the begin of the drain, less the time in which a record may still be
  // unwritten.
  const std::uint64_t until = all ? ~std::uint64_t{0} : drain_began_ns_ - kHeldBackNs;
  if (!std::ranges::is_sorted(waiting_, {}, time_of))
    std::ranges::stable_sort(waiting_, {}, time_of);
  const auto end = std::ranges::upper_bound(waiting_, until, {}, time_of);
  for (auto record = waiting_.begin(); record != end; ++record) {
    const auto* sample = std::get_if<Sample>(&*record);
    const Meaning meaning = sample != nullptr ? meaning_of(*sample) : Meaning{};
    counts_.add_fault(*record, meaning.weight, meaning.touches, epoch);
  }
  waiting_.erase(waiting_.begin(), end);
}

void FaultSampler::enable(bool on) {
  if (rings_) rings_->enable(on);
}

void FaultSampler::step() {
  drain();
  count([](const Sample&) { return Meaning{}; }, {}, false);
}

void FaultSampler::finish() {
  drain();
  count([](const Sample&) { return Meaning{}; }, {}, true);
  rings_.reset();
}

std::vector<record::Offset> records_of_threads(const Counts& counts, const RegionView& region) {
  // Records by pid and tid, each list in order of time.
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<record::Offset>> records;
  region.for_each<record::ThreadRecord>(
      region.header().threads.load(),
      [&](const record::ThreadRecord& thread, record::Offset offset) {
        const auto* process = region.at<record::ProcessRecord>(thread.process);
        if (process != nullptr) records[{process->pid, thread.tid}].push_back(offset);
      });
  for (auto& [key, offsets] : records) std::ranges::reverse(offsets);
  std::vector<record::Offset> found;
  // A thread adds itself to the region shortly after its begin. So its record is the first one from
  // its begin on, unless the next thread with the same tid began earlier.
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> next_began;
  for (std::size_t i = counts.threads().size(); i-- > 0;) {
    const SampledThread& thread = counts.threads()[i];
    const std::pair key{counts.spaces()[thread.space].pid, thread.tid};
    const auto next = next_began.find(key);
    const std::uint64_t until = next == next_began.end() ? ~std::uint64_t{0} : next->second;
    // The begin of an earlier thread was not recorded, so the search starts at the begin of its
    // space.
    const std::uint64_t from =
        std::min(thread.started_ns, counts.spaces()[thread.space].started_ns);
    record::Offset record = 0;
    for (const record::Offset offset : records[key]) {
      const std::uint64_t began = region.at<record::ThreadRecord>(offset)->started_ns;
      if (began >= until) break;
      const bool ended_before =
          region.at<record::ThreadRecord>(offset)->ended_ns != 0 &&
          region.at<record::ThreadRecord>(offset)->ended_ns < thread.started_ns;
      if (began >= from && !ended_before && record == 0) record = offset;
    }
    next_began[key] = thread.started_ns;
    found.push_back(record);
  }
  std::ranges::reverse(found);
  return found;
}

FirstTouches FaultSampler::first_touches(const RegionView& region) const {
  std::map<record::Offset, std::uint32_t> numbers, processes;
  const std::vector<ThreadOfRegion> threads = threads_of(region);
  for (std::uint32_t id = 0; id < threads.size(); ++id)
    if (threads[id].record != nullptr) numbers.emplace(threads[id].offset, id);
  for (const record::Offset offset : processes_of(region))
    processes.emplace(offset, static_cast<std::uint32_t>(processes.size()));
  const std::vector<record::Offset> records = records_of_threads(counts_, region);
  std::map<record::Offset, std::uint32_t> space_of_process;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i] != 0)
      space_of_process.emplace(region.at<record::ThreadRecord>(records[i])->process,
                               counts_.threads()[i].space);

  std::vector<std::uint32_t> spaces(processes.size(), kNone);  // by process
  for (const auto& [offset, number] : processes)
    if (const auto space = space_of_process.find(offset); space != space_of_process.end())
      spaces[number] = space->second;
  std::vector<std::uint32_t> ids;  // by the counts' thread number
  ids.reserve(records.size());
  for (const record::Offset record : records)
    ids.push_back(record == 0 ? kNone : numbers.at(record));
  // Pages whose accesses were all taken back: the emulator itself faulted there, not the guest's
  // thread.
  std::set<std::pair<std::uint32_t, std::uint64_t>> taken_back;
  for (const auto& [offset, number] : numbers)
    region.for_each<record::PageCounters>(
        region.at<record::ThreadRecord>(offset)->blocks.load(),
        [&, number = number](const record::PageCounters& block, record::Offset) {
          if (block.first_access == record::kTakenBack) taken_back.emplace(number, block.page);
        });
  return [this, spaces, ids, taken_back, copies = faults_copy()](
             std::uint32_t process, std::uint64_t page) -> std::optional<SeenTouch> {
    if (process >= spaces.size() || spaces[process] == kNone) return std::nullopt;
    const std::optional<Counts::Touch> touch = counts_.first_touch(spaces[process], page);
    if (!touch || ids[touch->thread] == kNone || taken_back.contains({ids[touch->thread], page}))
      return std::nullopt;
    return SeenTouch{ids[touch->thread], touch->time_ns, touch->page,
                     copies && touch->page == page};
  };
}

}  // namespace Atoll::recording::sample
