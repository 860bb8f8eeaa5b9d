// Detects whether any thread of a running program can continue without the simulation.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "recording/streams/live_streams.hpp"
#include "recording/thread_files.hpp"

namespace Atoll::recording {
namespace {

/// Processor time in ns after which a new thread has certainly written a record. A thread without
/// records that has used more belongs to a library, and the simulation does not wait for it.
constexpr std::uint64_t kBeginning = 250'000'000;

}  // namespace

bool LiveStreams::some_run() const {
  std::set<int> processes;   // with at least one live thread
  std::set<int> told, held;  // threads
  for (std::uint32_t stream = 0; stream < threads_.size(); ++stream) {
    const About its = about(stream);
    told.insert(its.tid);
    // Another program may reuse the tid of a thread that has ended.
    if (threads_[stream].record->ended_ns.load() != 0) continue;
    processes.insert(its.pid);
    if (is_held(stream)) held.insert(its.tid);
  }
  for (const int pid : processes) {
    std::error_code error;
    for (std::filesystem::directory_iterator task(fmt::format("/proc/{}/task", pid), error), end;
         !error && task != end; task.increment(error)) {
      const int tid = std::atoi(task->path().filename().c_str());
      if (held.contains(tid) || state_by(letter_in(text_of(pid, tid, "stat"))) != State::runs)
        continue;
      if (told.contains(tid) || time_in(text_of(pid, tid, "schedstat")) < kBeginning) return true;
    }
  }
  return false;
}

bool LiveStreams::look_whether_all_wait(std::vector<std::uint64_t>& seen,
                                        std::vector<std::uint32_t>& spinners) const {
  std::set<int> processes, told;
  seen.clear();
  spinners.clear();
  for (std::uint32_t stream = 0; stream < threads_.size(); ++stream) {
    const About its = about(stream);
    if (threads_[stream].record->ended_ns.load() != 0) continue;
    processes.insert(its.pid);
    told.insert(its.tid);
    // A thread sets its flag just before it waits for the simulation, so its kernel state is
    // checked, too.
    if (is_held(stream) && state_by(kernel_state(stream)) == State::sleeps) continue;
    if (condition_checks(stream) != 0) {
      spinners.push_back(stream);
      continue;
    }
    const State does = state_by(kernel_state(stream));
    if (does == State::ended) continue;
    if (does == State::runs) return false;
    const auto scheduled = times_scheduled(text_of(its.pid, its.tid, "schedstat"));
    if (!scheduled || !waits_for_futex(text_of(its.pid, its.tid, "syscall"))) return false;
    seen.push_back(*scheduled);
  }
  // Threads without records: of a library or an emulator, or threads that are about to begin or
  // end.
  for (const int pid : processes) {
    std::error_code error;
    for (std::filesystem::directory_iterator task(fmt::format("/proc/{}/task", pid), error), end;
         !error && task != end; task.increment(error)) {
      const int tid = std::atoi(task->path().filename().c_str());
      if (told.contains(tid)) continue;
      if (state_by(letter_in(text_of(pid, tid, "stat"))) == State::runs) return false;
      seen.push_back(times_scheduled(text_of(pid, tid, "schedstat")).value_or(0));
    }
    if (error) return false;
  }
  return true;
}

bool LiveStreams::all_wait() const {
  for (std::uint32_t stream = 0; stream < threads_.size(); ++stream)  // a cheaper check first
    if (threads_[stream].record->ended_ns.load() == 0 && condition_checks(stream) == 0 &&
        state_by(kernel_state(stream)) == State::runs)
      return false;
  // If no thread was scheduled between the two inspections, all waited at the same time.
  std::vector<std::uint64_t> before, after;
  std::vector<std::uint32_t> spinners, later;
  return look_whether_all_wait(before, spinners) && all_look_twice(spinners) &&
         look_whether_all_wait(after, later) && before == after && spinners == later;
}

bool LiveStreams::all_look_twice(const std::vector<std::uint32_t>& spinners) const {
  constexpr int kPauses = 100;
  std::vector<std::uint32_t> before;
  for (const std::uint32_t stream : spinners) before.push_back(condition_checks(stream));
  std::size_t next = 0;
  for (int pause = 0; pause < kPauses; ++pause) {
    for (; next < spinners.size(); ++next) {
      const std::uint32_t now = condition_checks(spinners[next]);
      if (now < before[next]) return false;
      if (now < before[next] + 2 && !is_blocked(spinners[next])) break;
    }
    if (next == spinners.size()) return true;
    const timespec moment = {0, 20'000};
    ::nanosleep(&moment, nullptr);
  }
  return false;
}

}  // namespace Atoll::recording
