#include "apply/kmaf_threads.hpp"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>

#include "record/sample/control.hpp"

namespace Atoll::apply {
namespace {

constexpr std::uint64_t kCheckNs = 50'000'000;      // limits how long a new thread keeps a binding
constexpr std::uint64_t kDecisionNs = 500'000'000;  // interval of ThreadMapper::decide

/// Returns the process's threads, ascending, without the thread that withdraws pages.
std::vector<std::int32_t> threads_of(pid_t pid) {
  std::vector<std::int32_t> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc/" + std::to_string(pid) + "/task", error), end;
       !error && it != end; it.increment(error)) {
    std::string name;
    std::getline(std::ifstream(it->path() / "comm"), name);
    const std::string number = it->path().filename().string();
    std::int32_t tid = 0;
    std::from_chars(number.data(), number.data() + number.size(), tid);
    if (tid > 0 && name != record::sample::kWithdrawingThread) threads.push_back(tid);
  }
  std::ranges::sort(threads);
  return threads;
}

bool same(const cpu_set_t& a, const cpu_set_t& b) {
  return CPU_EQUAL(&a, &b) != 0;
}

}  // namespace

KmafThreads::KmafThreads(const recording::sample::Nodes& nodes) {
  CPU_ZERO(&all_);
  if (::sched_getaffinity(0, sizeof all_, &all_) != 0) return;
  for (unsigned unit = 0; unit < CPU_SETSIZE; ++unit) {
    const int node = nodes.of_unit(unit);
    if (CPU_ISSET(unit, &all_) == 0 || node < 0) continue;
    const auto added = units_.try_emplace(node);
    if (added.second) CPU_ZERO(&added.first->second);
    CPU_SET(unit, &added.first->second);
  }
}

void KmafThreads::sampled(pid_t pid, std::int32_t tid, std::uint64_t page, int node) {
  if (units_.size() < 2 || !units_.contains(node)) return;
  auto process = processes_.find(pid);
  if (process == processes_.end()) {
    std::map<int, std::size_t> counts;
    for (const auto& [number, units] : units_)
      counts[number] = static_cast<std::size_t>(CPU_COUNT(&units));
    process = processes_.emplace(pid, Process{.mapper = ThreadMapper(counts)}).first;
  }
  if (!process->second.binds_itself) process->second.mapper.sampled(tid, page, node);
}

/// Checks each thread's affinity. Returns false if the program has bound one itself. Sets `threads`
/// to the threads that may be bound. The first thread is excluded: usually it starts the others,
/// and queries the number of units for that.
bool KmafThreads::check(pid_t pid, Process& process, std::vector<std::int32_t>& threads) {
  threads = threads_of(pid);
  std::set<std::int32_t> unconfirmed;
  for (const std::int32_t tid : threads) {
    cpu_set_t now;
    CPU_ZERO(&now);
    if (::sched_getaffinity(tid, sizeof now, &now) != 0) continue;
    const auto given = process.given.find(tid);
    if (same(now, given == process.given.end() ? all_ : units_.at(given->second))) continue;
    // A new thread removes an inherited binding itself (sample/inside/inherited.hpp), after a
    // delay.
    if (given == process.given.end() && !process.given.empty() &&
        !process.unconfirmed.contains(tid)) {
      unconfirmed.insert(tid);
      continue;
    }
    process.given.erase(tid);
    return false;
  }
  process.unconfirmed = std::move(unconfirmed);
  std::erase(threads, pid);
  std::erase_if(process.given,
                [&](const auto& one) { return !std::ranges::binary_search(threads, one.first); });
  return true;
}

void KmafThreads::release(Process& process) {
  for (const auto& [tid, node] : process.given) {
    cpu_set_t now;
    CPU_ZERO(&now);
    if (::sched_getaffinity(tid, sizeof now, &now) == 0 && same(now, units_.at(node)))
      ::sched_setaffinity(tid, sizeof all_, &all_);
  }
  process.given.clear();
  process.binds_itself = true;
  ++left_alone_;
}

void KmafThreads::step(std::uint64_t now_ns) {
  const bool decides = now_ns >= next_decision_ns_;
  if (now_ns < next_check_ns_) return;
  next_check_ns_ = now_ns + kCheckNs;
  if (decides) next_decision_ns_ = now_ns + kDecisionNs;
  for (auto& [pid, process] : processes_) {
    if (process.binds_itself || (!decides && bound_ == 0)) continue;
    std::vector<std::int32_t> threads;
    if (!check(pid, process, threads)) {
      release(process);
      continue;
    }
    if (!decides) continue;
    const std::vector<int> nodes = process.mapper.decide(threads);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const cpu_set_t& units = units_.at(nodes[i]);
      if (::sched_setaffinity(threads[i], sizeof units, &units) != 0) continue;
      process.given[threads[i]] = nodes[i];
      ++bound_;
    }
  }
  std::erase_if(processes_, [](const auto& one) { return ::kill(one.first, 0) != 0; });
}

}  // namespace Atoll::apply
