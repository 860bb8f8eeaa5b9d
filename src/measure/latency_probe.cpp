#include "measure/latency_probe.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/hash.hpp"
#include "atoll/base/page_size.hpp"
#include "atoll/base/units.hpp"
#include "measure/huge_pages.hpp"
#include "measure/keep.hpp"
#include "measure/kernels.hpp"
#include "measure/random_cycle.hpp"

namespace Atoll::measure {
namespace {

constexpr std::uint64_t kLine = 64, kHuge = 2 * kMiB;
using Clock = std::chrono::steady_clock;

double ns_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

struct Mapping {
  void* memory;
  std::size_t bytes;
  std::byte* data;  ///< aligned to 2 MiB
};
Mapping map(std::uint64_t bytes, bool huge) {
  const std::size_t all = bytes + kHuge;
  void* const memory =
      ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw Error::failed("measuring", "there isn't enough memory", "free some");
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  auto* const data =
      static_cast<std::byte*>(memory) + ((address + kHuge - 1) / kHuge * kHuge - address);
#ifdef MADV_HUGEPAGE
  ::madvise(data, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);  // a hint, checked afterwards
#endif
  return {memory, all, data};
}

/// Independent loads with few other instructions.
std::uint64_t sum_of_lines(const std::byte* data, const std::vector<std::uint32_t>& lines,
                           std::uint32_t mask, std::uint32_t offset) {
  std::uint64_t sum = 0;
  for (const std::uint32_t line : lines)
    sum += *reinterpret_cast<const std::uint64_t*>(data +
                                                   std::uint64_t{(line + offset) & mask} * kLine);
  return sum;
}

}  // namespace

double least_of(double seconds, const std::function<double()>& once) {
  double least = std::numeric_limits<double>::infinity();
  const auto start = Clock::now();
  for (int trials = 0; trials < 3 || ns_since(start) < seconds * 1e9; ++trials)
    least = std::min(least, once());
  return least;
}

LatencyProbe::LatencyProbe(std::uint64_t bytes, bool huge, double seconds_a_reading)
    : bytes_(bytes), huge_(huge), seconds_(seconds_a_reading) {
  const Mapping mapping = map(bytes, huge);
  mapping_ = mapping.memory;
  mapped_ = mapping.bytes;
  data_ = mapping.data;
  for (std::uint64_t at = 0; at < bytes; at += kPageBytes) data_[at] = std::byte{1};
}

LatencyProbe::~LatencyProbe() {
  ::munmap(mapping_, mapped_);
}

bool LatencyProbe::has_its_pages() const {
  return huge_page_bytes(data_, bytes_) == (huge_ ? bytes_ : 0);
}

double LatencyProbe::time_chain(std::uint64_t links) {
  const void* at = measure::chase(data_, std::min<std::uint64_t>(links, 1 << 20));  // warm-up
  constexpr std::uint64_t kLoads = 1 << 14;  // short trials: some are undisturbed
  return least_of(seconds_, [&] {
    const auto start = Clock::now();
    at = measure::chase(at, kLoads);
    keep(at);
    return ns_since(start) / static_cast<double>(kLoads);
  });
}

double LatencyProbe::chase(std::uint64_t bytes) {
  const std::uint64_t lines = std::min(bytes, bytes_) / kLine;
  const RandomCycle cycle(lines);
  for (std::uint64_t line = 0; line < lines; ++line)
    *reinterpret_cast<const void**>(data_ + line * kLine) = data_ + cycle.next(line) * kLine;
  return time_chain(lines);
}

double LatencyProbe::page_chase(std::uint64_t pages) {
  // Uses a different line in each page, so that the lines are spread over the sets of a cache.
  const auto place = [this](std::uint64_t page) {
    return data_ + page * kPageBytes + page * 5 % (kPageBytes / kLine) * kLine;
  };
  const RandomCycle cycle(pages);
  for (std::uint64_t page = 0; page < pages; ++page)
    *reinterpret_cast<const void**>(place(page)) = place(cycle.next(page));
  return time_chain(pages);
}

double LatencyProbe::gather(std::uint64_t bytes) {
  const auto mask = static_cast<std::uint32_t>(std::min(bytes, bytes_) / kLine - 1);
  std::vector<std::uint32_t> lines(1 << 14);  // fits into level 2
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = static_cast<std::uint32_t>(mix_bits(i));
  std::uint32_t offset = 0;  // other lines in each trial, so that they aren't cached
  const auto once = [&] {
    offset += 1'000'003;
    keep(sum_of_lines(data_, lines, mask, offset));
  };
  for (int i = 0; i < 64; ++i) once();
  return least_of(seconds_, [&] {
    const auto start = Clock::now();
    once();
    return ns_since(start) / static_cast<double>(lines.size());
  });
}

double LatencyProbe::sweep(std::uint64_t bytes, std::uint64_t stride) {
  const std::uint64_t lines = std::bit_floor(std::min(bytes, bytes_) / kLine);
  const std::uint64_t rounds = std::max<std::uint64_t>(1, (1 << 14) / lines);
  return least_of(seconds_, [&] {
    const auto start = Clock::now();
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < rounds * lines; ++i)
      sum += *reinterpret_cast<const std::uint64_t*>(data_ + (i * stride & (lines - 1)) * kLine);
    keep(sum);
    return ns_since(start) / static_cast<double>(rounds * lines);
  });
}

double LatencyProbe::stream(bool pieces_at_random) {
  constexpr std::uint64_t kPieces = 1024;
  const std::uint64_t all = bytes_ / kPageBytes;
  const RandomCycle cycle(all);
  piece_ = all / 2;  // earlier readings may have left the first pieces in the caches
  return least_of(seconds_, [&] {
    const auto start = Clock::now();
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < kPieces; ++i) {
      piece_ = pieces_at_random ? cycle.next(piece_) : (piece_ + 1) % all;
      for (std::uint64_t at = 0; at < kPageBytes; at += kLine)
        sum += *reinterpret_cast<const std::uint64_t*>(data_ + piece_ * kPageBytes + at);
    }
    keep(sum);
    return ns_since(start) / static_cast<double>(kPieces * (kPageBytes / kLine));
  });
}

double LatencyProbe::streams(std::uint64_t count) {
  // The first lines of the streams are in different cache sets and at different page offsets.
  const std::uint64_t part = bytes_ / count / kPageBytes * kPageBytes, lines = (1 << 14) / count;
  const std::uint64_t most = (part - 2 * kPageBytes) / kLine;
  std::uint64_t first = 0;
  return least_of(seconds_, [&] {
    const auto start = Clock::now();
    std::uint64_t sum = 0;
    for (std::uint64_t line = first; line < first + lines; ++line)
      for (std::uint64_t one = 0; one < count; ++one)
        sum += *reinterpret_cast<const std::uint64_t*>(data_ + one * part +
                                                       (one * 37 % 64 + line) * kLine);
    keep(sum);
    first = first + 2 * lines > most ? 0 : first + lines;
    return ns_since(start) / static_cast<double>(lines * count);
  });
}

#ifdef __x86_64__
namespace {

/// Follows two chains with additions between their loads. The additions are of two kinds and set no
/// flags, so that no register file is full before the window is.
template <int kInstructions>
void follow_two(const void*& a, const void*& b, int times) {
  for (int i = 0; i < times; ++i) {
    a = *static_cast<const void* const*>(a);
    asm volatile(
        ".rept %c0\n\t"
        "lea 1(%%rax), %%rax\n\tpaddd %%xmm0, %%xmm0\n\t"
        "lea 1(%%rcx), %%rcx\n\tpaddd %%xmm1, %%xmm1\n\t.endr" ::"i"(kInstructions / 4)
        : "rax", "rcx", "xmm0", "xmm1", "memory");
    b = *static_cast<const void* const*>(b);
    asm volatile(
        ".rept %c0\n\t"
        "lea 1(%%rax), %%rax\n\tpaddd %%xmm0, %%xmm0\n\t"
        "lea 1(%%rcx), %%rcx\n\tpaddd %%xmm1, %%xmm1\n\t.endr" ::"i"(kInstructions / 4)
        : "rax", "rcx", "xmm0", "xmm1", "memory");
  }
}

template <std::size_t... kIndex>
void follow_two(int between, const void*& a, const void*& b, int times,
                std::index_sequence<kIndex...>) {
  ((between == LatencyProbe::kBetween[kIndex]
        ? follow_two<LatencyProbe::kBetween[kIndex]>(a, b, times)
        : void()),
   ...);
}

}  // namespace
#endif

double LatencyProbe::pair([[maybe_unused]] int instructions_between) {
#ifdef __x86_64__
  // Uses the chain of the last chase; the second pointer starts in the middle of the memory.
  const void* a = data_;
  const void* b = data_ + bytes_ / 2 / kLine * kLine;
  constexpr int kTimes = 1 << 13;
  return least_of(seconds_, [&] {
    const auto start = Clock::now();
    follow_two(instructions_between, a, b, kTimes, std::make_index_sequence<std::size(kBetween)>());
    keep(a);
    keep(b);
    return ns_since(start) / kTimes;
  });
#else
  return 0;
#endif
}

double first_touch(bool huge) {
  const std::uint64_t step = huge ? kHuge : kPageBytes, pages = huge ? 32 : 8192;
  bool right = true;
  const double ns = least_of(0, [&] {
    const Mapping mapping = map(pages * step, huge);
    const auto start = Clock::now();
    for (std::uint64_t page = 0; page < pages; ++page) mapping.data[page * step] = std::byte{1};
    const double taken = ns_since(start) / static_cast<double>(pages);
    right = right && huge_page_bytes(mapping.data, pages * step) == (huge ? pages * step : 0);
    ::munmap(mapping.memory, mapping.bytes);
    return taken;
  });
  return right ? ns : 0;
}

}  // namespace Atoll::measure
