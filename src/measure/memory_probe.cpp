// Runs chases and passes. Each thread measures its own times, which exclude the team's wake-up.
#include "measure/memory_probe.hpp"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include "atoll/base/page_size.hpp"
#include "atoll/base/units.hpp"
#include "measure/keep.hpp"
#include "measure/random_cycle.hpp"

namespace Atoll::measure {
namespace {

using Clock = std::chrono::steady_clock;

// Not 0: some processors skip writes of zeros over zeros.
constexpr std::uint64_t kWritten = 0x0123456789ABCDEF;

/// Returns the calling thread's processor time.
double seconds_on_processor() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Part of a thread, in whole base pages.
struct Part {
  std::size_t begin;
  std::size_t bytes;
};
Part part_of(std::size_t bytes, int thread, int threads) {
  const auto bound = [&](int t) {
    return bytes / kPageBytes * static_cast<std::size_t>(t) / static_cast<std::size_t>(threads) *
           kPageBytes;
  };
  return {bound(thread), bound(thread + 1) - bound(thread)};
}

/// Processes `piece` bytes from `data` on; a copy copies half as many, to `far` bytes further.
void stream(Kernel kernel, std::byte* data, std::size_t piece, std::size_t far, int thread,
            int threads) {
  const Streams& streams = widest_streams();
  const auto [begin, size] = part_of(kernel == Kernel::copy ? piece / 2 : piece, thread, threads);
  switch (kernel) {
    case Kernel::read:
      return keep(streams.read(data + begin, size));
    case Kernel::write:
      return streams.write(data + begin, size, kWritten);
    case Kernel::copy:
      return streams.copy(data + begin, data + far + begin, size);
  }
}

}  // namespace

MemoryProbe::MemoryProbe(const memory::Block& block, const Team& team, std::uint64_t line_bytes,
                         std::uint64_t piece_bytes)
    : block_(block), team_(team), at_(block.data()), piece_(piece_bytes) {
  const RandomCycle cycle(block.bytes() / line_bytes);
  team.run([&](int thread) {
    const auto [begin, bytes] = part_of(block.bytes(), thread, team.size());
    for (std::uint64_t line = begin / line_bytes; line < (begin + bytes) / line_bytes; ++line)
      *reinterpret_cast<const void**>(block.data() + line * line_bytes) =
          block.data() + cycle.next(line) * line_bytes;
  });
}

Trial MemoryProbe::time(int threads, const std::function<void(int)>& work) const {
  struct Times {
    Clock::time_point start, end;
    double on_processor;  ///< seconds
  };
  std::vector<Times> times(static_cast<std::size_t>(threads));
  std::atomic<int> ready{0};  // a late start of a thread would count as slow memory
  team_.run([&](int thread) {
    if (thread >= threads) return;
    ready.fetch_add(1);
    while (ready.load() < threads) {
    }
    const double before = seconds_on_processor();
    const auto start = Clock::now();
    work(thread);
    times[static_cast<std::size_t>(thread)] = {start, Clock::now(),
                                               seconds_on_processor() - before};
  });
  const auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  Times all = times.front();
  double taken = 0;
  for (const Times& one : times) {
    all.start = std::min(all.start, one.start);
    all.end = std::max(all.end, one.end);
    taken = std::max(taken, 1 - one.on_processor / seconds(one.end - one.start));
  }
  return {seconds(all.end - all.start), taken};
}

Trial MemoryProbe::chase(std::uint64_t loads) {
  return time(1, [&](int) {
    at_ = measure::chase(at_, loads);
    keep(at_);
  });
}

Trial MemoryProbe::pass(Kernel kernel, int threads) {
  // Copies read the first half of the buffer, half a piece at a time.
  const std::size_t step = kernel == Kernel::copy ? piece_ / 2 : piece_;
  const std::size_t room = kernel == Kernel::copy ? block_.bytes() / 2 : block_.bytes();
  if (piece_at_ + step > room) piece_at_ = 0;
  std::byte* const data = block_.data() + piece_at_;
  piece_at_ += step;
  return time(threads, [&](int thread) {
    stream(kernel, data, piece_, block_.bytes() / 2, thread, threads);
  });
}

}  // namespace Atoll::measure
