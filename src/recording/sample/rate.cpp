#include "recording/sample/rate.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <vector>

#include "atoll/base/page_size.hpp"

namespace Atoll::recording::sample {
namespace {

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void add(RateMeasurement& sum, const RateMeasurement& more) {
  sum.seconds += more.seconds;
  sum.program_seconds += more.program_seconds;
  sum.pages_seconds += more.pages_seconds;
  sum.other_seconds += more.other_seconds;
  sum.pages += more.pages;
}

double watching(const RateMeasurement& sum) {
  return sum.pages_seconds + sum.other_seconds;
}

/// Returns the program's own time. Processes' clocks lag by a few milliseconds, so the difference
/// may be negative.
double own(const RateMeasurement& sum) {
  return std::max(sum.program_seconds - watching(sum), 1e-6);
}

}  // namespace

double Rate::share() const {
  return watching(all_) == 0 ? 0 : watching(all_) / own(all_);
}

void Rate::measured(const RateMeasurement& measurement) {
  add(gathered_, measurement);
  add(all_, measurement);
  if (gathered_.seconds < 0.1) return;
  if (gathered_.pages >= 16) {
    const double seconds = gathered_.pages_seconds / gathered_.pages;
    page_seconds_ = page_seconds_ == 0 ? seconds : 0.7 * page_seconds_ + 0.3 * seconds;
  }
  // Budget for the next second, assuming that it is like this one. Earlier excess or savings are
  // balanced within two seconds.
  const double budget = options_.share * own(gathered_) / gathered_.seconds;
  const double saved = options_.share * own(all_) - watching(all_);
  const double free =
      budget - gathered_.other_seconds / gathered_.seconds + std::clamp(saved / 2, -budget, budget);
  pauses_ = all_.other_seconds > options_.share * own(all_) + (pauses_ ? 0 : options_.credit);
  gathered_ = {};
  if (page_seconds_ == 0) return;
  rate_ =
      std::clamp(free / page_seconds_, options_.least, std::min(options_.most, 2 * rate_ + 100));
}

double measured_fault_seconds() {
  constexpr double kFallback = 2e-6;
  constexpr std::size_t kApart = 16, kPages = 256;
  const int file = ::memfd_create("atoll-calibration", MFD_CLOEXEC);
  if (file < 0) return kFallback;
  const std::size_t bytes = kPages * kApart * kPageBytes;
  void* memory = MAP_FAILED;
  if (::ftruncate(file, static_cast<off_t>(bytes)) == 0)
    memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (memory == MAP_FAILED) return kFallback;
  auto* data = static_cast<volatile char*>(memory);
  std::vector<double> rounds;
  for (int round = 0; round < 6; ++round) {
    for (std::size_t i = 0; i < kPages; ++i)
      ::madvise(static_cast<char*>(memory) + i * kApart * kPageBytes, kPageBytes, MADV_DONTNEED);
    const double begin = thread_seconds();
    for (std::size_t i = 0; i < kPages; ++i) data[i * kApart * kPageBytes] = 1;
    // The first round is not timed, as it allocates the file's pages.
    if (round > 0) rounds.push_back((thread_seconds() - begin) / kPages);
  }
  ::munmap(memory, bytes);
  std::nth_element(rounds.begin(), rounds.begin() + 2, rounds.end());
  constexpr double kRecord = 0.5e-6;  // writing a record, and caches that a fault evicts
  return rounds[2] + kRecord;
}

}  // namespace Atoll::recording::sample
