// Overhead of the front end `sample`: programs unwatched and watched, in alternation. Times are CPU
// times of the program including the kernel and the thread that withdraws pages, plus those of
// `atoll`. The benchmark itself contains the watched programs: bench_trace work NAME FILE.
#pragma once

#include <sys/resource.h>

#include <filesystem>
#include <numeric>
#include <random>
#include <thread>

#include "bench.hpp"

namespace Atoll::bench {

namespace sampled {

constexpr int kThreads = 2;

template <class Work>
void in_threads(Work&& work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([&, t] { work(t); });
  for (std::thread& thread : threads) thread.join();
}

/// Computes a = b + s c, over 96 MiB.
inline double triad() {
  constexpr std::size_t kN = 4 << 20;
  std::vector<double> a(kN), b(kN, 1), c(kN, 2);
  in_threads([&](int t) {
    for (int round = 0; round < 150; ++round)
      for (std::size_t i = t * kN / kThreads; i < (t + 1) * kN / kThreads; ++i)
        a[i] = b[i] + 0.5 * c[i] + a[i] * 1e-9;
  });
  return std::accumulate(a.begin(), a.end(), 0.0);
}

/// Sums through random indices, over 96 MiB.
inline double gather() {
  constexpr std::size_t kN = 8 << 20;
  std::vector<double> values(kN, 1), sums(kThreads);
  std::vector<std::uint32_t> index(kN);
  std::minstd_rand random(1);
  for (auto& one : index) one = static_cast<std::uint32_t>(random() % kN);
  in_threads([&](int t) {
    double sum = 0;
    for (int round = 0; round < 12; ++round)
      for (std::size_t i = t * kN / kThreads; i < (t + 1) * kN / kThreads; ++i)
        sum += values[index[i]];
    sums[static_cast<std::size_t>(t)] = sum;
  });
  return sums[0] + sums[1];
}

/// Uses a few pages repeatedly: 2 MiB. If the halves filled a second-level cache exactly, times
/// would depend on the physical pages.
inline double small_array() {
  constexpr std::size_t kN = 256 << 10;
  std::vector<double> a(kN, 1);
  in_threads([&](int t) {
    for (int round = 0; round < 16000; ++round)
      for (std::size_t i = t * kN / kThreads; i < (t + 1) * kN / kThreads; ++i) a[i] += 1;
  });
  return a[0] + a[kN - 1];
}

/// Makes large allocations that are written once and freed, which causes continuous first touches.
inline double allocations() {
  double sum = 0;
  for (int i = 0; i < 40000; ++i) {
    std::vector<double> fresh(64 << 10, 1);
    sum += fresh[static_cast<std::size_t>(i) & 0xffff];
  }
  return sum;
}

struct Workload {
  const char* name;
  double (*work)();
};
constexpr Workload kWorkloads[] = {{"triad", triad},
                                   {"gather", gather},
                                   {"small array", small_array},
                                   {"allocations", allocations}};

struct Run {
  double cpu = 0;
  std::string answer;
};

inline Run run(const std::filesystem::path& self, const char* name, bool watched) {
  const std::string out = "bench_sample.tmp", profile = "bench_sample.profile.tmp";
  std::string command = fmt::format("'{}' work '{}' {}", self.string(), name, out);
  if (watched)
    command = fmt::format("'{}' profile --frontend sample -o {} -- {} 2>/dev/null",
                          (self.parent_path().parent_path() / "atoll").string(), profile, command);
  require(std::system(command.c_str()) == 0, command);
  Run result;
  std::ifstream(out) >> result.cpu >> result.answer;
  std::filesystem::remove(out);
  std::filesystem::remove(profile);
  return result;
}

inline int work(const std::string& name, const char* out) {
  for (const Workload& workload : kWorkloads) {
    if (name != workload.name) continue;
    const double answer = workload.work();
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    std::ofstream(out) << seconds(usage.ru_utime) + seconds(usage.ru_stime) << " " << answer;
    return 0;
  }
  return 2;
}

}  // namespace sampled

inline void sampled_rows(Suite& suite) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  constexpr int kRounds = 7;
  for (const sampled::Workload& workload : sampled::kWorkloads) {
    std::vector<double> cpu[2];
    for (int round = 0; round < kRounds; ++round) {
      sampled::Run runs[2];
      for (const int watched : {round % 2, 1 - round % 2})
        runs[watched] = sampled::run(self, workload.name, watched != 0);
      require(runs[0].answer == runs[1].answer && !runs[0].answer.empty(), workload.name);
      for (const int watched : {0, 1}) cpu[watched].push_back(runs[watched].cpu);
    }
    const std::string name = workload.name;
    const Measured alone = summarise(cpu[0]), watched = summarise(cpu[1]);
    suite.row(name + ", sample: median", "s CPU", watched.median, "alone", alone.median,
              watched.spread);
    suite.row(name + ", sample: least", "s CPU", watched.least, "alone", alone.least);
  }
}

}  // namespace Atoll::bench
