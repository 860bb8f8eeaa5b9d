#include "trace/sample/rate.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <vector>

namespace Atoll::trace::sample {
namespace {

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

void Rate::measured(const RateMeasurement& measurement) {
  gathered_.seconds += measurement.seconds;
  gathered_.program_seconds += measurement.program_seconds;
  gathered_.watching_seconds += measurement.watching_seconds;
  // Clocks of processes move on by ticks of up to 4 ms: shorter times tell nothing.
  if (gathered_.seconds < 0.1) return;
  const double own = std::max(gathered_.program_seconds - gathered_.watching_seconds, 1e-6);
  const double share = gathered_.watching_seconds / own;
  gathered_ = {};
  share_ = share_ == 0 ? share : 0.5 * (share_ + share);
  // Towards the rate that costs what may be paid: down at once, up by at most half.
  const double aim = share <= 0 ? 1.5 : options_.share / share;
  rate_ = std::clamp(rate_ * std::clamp(aim, 0.05, 1.5), options_.least, options_.most);
}

double measured_fault_seconds() {
  constexpr double kFallback = 2e-6;
  constexpr std::size_t kPage = 4096, kApart = 16, kPages = 256;
  const int file = ::memfd_create("atoll-calibration", MFD_CLOEXEC);
  if (file < 0) return kFallback;
  const std::size_t bytes = kPages * kApart * kPage;
  void* memory = MAP_FAILED;
  if (::ftruncate(file, static_cast<off_t>(bytes)) == 0)
    memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (memory == MAP_FAILED) return kFallback;
  auto* data = static_cast<volatile char*>(memory);
  std::vector<double> rounds;
  for (int round = 0; round < 6; ++round) {
    for (std::size_t i = 0; i < kPages; ++i)
      ::madvise(static_cast<char*>(memory) + i * kApart * kPage, kPage, MADV_DONTNEED);
    const double begin = thread_seconds();
    for (std::size_t i = 0; i < kPages; ++i) data[i * kApart * kPage] = 1;
    // The first round gives the file its pages.
    if (round > 0) rounds.push_back((thread_seconds() - begin) / kPages);
  }
  ::munmap(memory, bytes);
  std::nth_element(rounds.begin(), rounds.begin() + 2, rounds.end());
  constexpr double kRecord = 0.5e-6;  // writing it, and the caches that a fault empties
  return rounds[2] + kRecord;
}

}  // namespace Atoll::trace::sample
