#include "recording/sample/counts.hpp"

#include "atoll/base/hash.hpp"
#include "atoll/recording/recording.hpp"
#include "record/region.hpp"
#include "record/sample/control.hpp"

namespace Atoll::recording::sample {
namespace {

constexpr std::array<std::uint64_t, 3> kBlocks{1, 16, 512};  // pages

/// Returns false for kernel addresses (in the upper half of the address space) and for kernel
/// threads.
bool is_programs(const Sample& sample) {
  return sample.address >= kPageBytes && sample.address >> 63 == 0 && sample.pid > 0;
}

}  // namespace

std::uint32_t Counts::space_of(std::int32_t pid, std::uint64_t time_ns) {
  const auto [found, added] =
      space_of_pid_.try_emplace(pid, static_cast<std::uint32_t>(spaces_.size()));
  if (added) spaces_.push_back({.pid = pid, .started_ns = time_ns});
  return found->second;
}

std::uint32_t Counts::thread_of(std::int32_t pid, std::int32_t tid, std::uint64_t time_ns) {
  const std::uint32_t space = space_of(pid, time_ns);
  const auto found = thread_of_tid_.find(tid);
  if (found != thread_of_tid_.end() && threads_[found->second].space == space) return found->second;
  const auto thread = static_cast<std::uint32_t>(threads_.size());
  threads_.push_back({.space = space, .tid = tid, .started_ns = time_ns});
  thread_of_tid_[tid] = thread;
  return thread;
}

void Counts::task(const Task& task) {
  if (!task.begins) {
    const auto found = thread_of_tid_.find(task.tid);
    if (found == thread_of_tid_.end()) return;
    threads_[found->second].ended_ns = task.time_ns;
    thread_of_tid_.erase(found);
    return;
  }
  if (task.pid != task.parent_pid) {
    space_of_pid_.erase(task.pid);
    spaces_[space_of(task.pid, task.time_ns)].parent_pid = task.parent_pid;
  }
  thread_of_tid_.erase(task.tid);
  threads_[thread_of(task.pid, task.tid, task.time_ns)].creator_tid = task.parent_tid;
}

void Counts::named(const Named& named) {
  if (named.name == record::sample::kWithdrawingThread)
    threads_[thread_of(named.pid, named.tid, named.time_ns)].withdraws = true;
  if (!named.executed) return;
  const auto before = space_of_pid_.find(named.pid);
  const std::int32_t parent =
      before == space_of_pid_.end() ? 0 : spaces_[before->second].parent_pid;
  space_of_pid_.erase(named.pid);
  spaces_[space_of(named.pid, named.time_ns)].parent_pid = parent;
}

void Counts::add_fault(const Record& record, std::uint64_t weight, bool touches, Epoch epoch) {
  if (const auto* one = std::get_if<Task>(&record)) return task(*one);
  if (const auto* one = std::get_if<Lost>(&record)) lost_ += one->records;
  if (const auto* one = std::get_if<Named>(&record)) return named(*one);
  const auto* sample = std::get_if<Sample>(&record);
  if (sample == nullptr || !is_programs(*sample)) return;
  const std::uint64_t page = sample->address / kPageBytes;
  const std::uint32_t thread = thread_of(sample->pid, sample->tid, sample->time_ns);
  const std::uint32_t space = threads_[thread].space;
  for (std::size_t i = 0; touches && i < kBlocks.size(); ++i)
    if (!first_touches_[i]
             .try_emplace({space, page / kBlocks[i]}, Touch{thread, sample->time_ns, page})
             .second)
      break;  // not the first touch of a larger block either
  if (weight > 0) count(*sample, weight, touches, epoch);
}

void Counts::add_access(const Record& record, Epoch epoch) {
  if (const auto* one = std::get_if<Lost>(&record)) lost_ += one->records;
  if (const auto* sample = std::get_if<Sample>(&record); sample != nullptr && is_programs(*sample))
    count(*sample, 1, false, epoch);
}

bool Counts::keeps(std::uint64_t page) const {
  return (golden_hash(page) >> 32) % (std::uint64_t{1} << thinned_) == 0;
}

void Counts::keep_fewer() {
  ++thinned_;
  kept_ = 0;
  for (auto& [key, counts] : pages_) {
    if (!keeps(key.page)) counts.uses = {};
    kept_ += counts.uses.size();
  }
}

void Counts::count(const Sample& sample, std::uint64_t weight, bool touches, Epoch epoch) {
  ++samples_;
  const std::uint32_t thread = thread_of(sample.pid, sample.tid, sample.time_ns);
  SampledPage& counts = pages_[{thread, sample.address / kPageBytes}];
  if (counts.first_ns == 0) counts.first_ns = sample.time_ns;
  (sample.kind == AccessKind::write ? counts.writes : counts.reads) += weight * sample.period;
  counts.epochs =
      record::epochs_in_generation(counts.epochs, counts.epoch_generation, epoch.generation);
  counts.epoch_generation = epoch.generation;
  counts.epochs |= std::uint64_t{1} << epoch.number % 64;
  if (touches || !keeps(sample.address / kPageBytes)) return;
  if (counts.uses.empty() || counts.uses.back().epoch != epoch) {
    counts.uses.push_back({.epoch = epoch});
    ++kept_;
  }
  counts.uses.back().uses += weight * sample.period;
  while (kept_ > kMaxUses && thinned_ < 32) keep_fewer();
}

std::optional<Counts::Touch> Counts::first_touch(std::uint32_t space, std::uint64_t page) const {
  for (std::size_t i = 0; i < kBlocks.size(); ++i)
    if (const auto found = first_touches_[i].find({space, page / kBlocks[i]});
        found != first_touches_[i].end())
      return found->second;
  return std::nullopt;
}

bool Counts::touched(const Sample& fault) const {
  const auto space = space_of_pid_.find(fault.pid);
  return space != space_of_pid_.end() &&
         first_touches_[0].contains({space->second, fault.address / kPageBytes});
}

std::optional<std::uint32_t> Counts::first_toucher(std::uint32_t space, std::uint64_t page) const {
  const std::optional<Touch> touch = first_touch(space, page);
  return touch ? std::optional(touch->thread) : std::nullopt;
}

std::optional<std::uint32_t> Counts::space_at(std::int32_t pid, std::uint64_t time_ns) const {
  std::optional<std::uint32_t> found;
  for (std::uint32_t i = 0; i < spaces_.size(); ++i)
    if (spaces_[i].pid == pid && (!found || spaces_[i].started_ns <= time_ns)) found = i;
  return found;
}

}  // namespace Atoll::recording::sample
