// Suite `measure`: the figures of `atoll machine --measure` for this computer, relative to
// independent implementations of a pointer chase and of STREAM (a shuffled list; OpenMP loops over
// arrays), in alternation, the best of each; and to likwid-bench, if installed.
#include <omp.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "atoll/base/units.hpp"
#include "atoll/measure/measure.hpp"
#include "bench.hpp"

namespace {

using Atoll::bench::require;

// GCC would otherwise call memcpy, which uses streaming stores, and prefer vectors of 32 bytes.
#if defined(__x86_64__) && !defined(__clang__)
#define ATOLL_PLAIN_LOOPS                                                \
  __attribute__((noinline, optimize("no-tree-loop-distribute-patterns"), \
                 target("prefer-vector-width=512")))
#else
#define ATOLL_PLAIN_LOOPS __attribute__((noinline))
#endif

/// Plain memory in transparent huge pages, first touched by the threads that use it.
template <class T>
class Pages {
 public:
  explicit Pages(std::size_t count) : count_(count) {
    constexpr std::size_t kHuge = std::size_t{2} << 20;
    mapped_ = count * sizeof(T) + kHuge;
    mapping_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(mapping_ != MAP_FAILED, "mapping memory for the comparison");
    const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
    data_ = reinterpret_cast<T*>((address + kHuge - 1) / kHuge * kHuge);
    madvise(data_, count * sizeof(T), MADV_HUGEPAGE);
#pragma omp parallel for
    for (std::size_t i = 0; i < count; ++i) data_[i] = T{};
  }
  ~Pages() { munmap(mapping_, mapped_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  void* mapping_;
  std::size_t mapped_, count_;
  T* data_;
};

struct Line {
  Line* next;
  char rest[56];
};

/// Links all lines into one cycle by Sattolo's shuffle.
void shuffle(Pages<Line>& lines) {
  std::vector<std::uint32_t> order(lines.size());
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(1);
  for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random() % i]);
  for (std::size_t i = 0; i < order.size(); ++i) lines.data()[i].next = lines.data() + order[i];
}

Line* volatile kept;

/// Returns nanoseconds per load.
double chase(Line*& at, int loads) {
  const double start = omp_get_wtime();
  for (int i = 0; i < loads; ++i) at = at->next;
  kept = at;
  return (omp_get_wtime() - start) * 1e9 / loads;
}

volatile double kept_sum;

ATOLL_PLAIN_LOOPS void stream_read(const double* a, std::size_t n) {
  double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += a[i];
  kept_sum = sum;
}
ATOLL_PLAIN_LOOPS void stream_write(double* a, std::size_t n) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < n; ++i) a[i] = 3.0;
}
ATOLL_PLAIN_LOOPS void stream_copy(const double* __restrict a, double* __restrict c,
                                   std::size_t n) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i];
}
ATOLL_PLAIN_LOOPS void stream_triad(double* __restrict a, const double* __restrict b,
                                    const double* __restrict c, std::size_t n) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
}

/// Best values seen: minimum latency, maximum bandwidth.
struct Best {
  double latency_ns = 1e9;
  std::map<int, std::map<std::string, double>> bytes_per_second;  ///< by threads and loop
  void keep(int threads, const std::string& loop, double value) {
    double& best = bytes_per_second[threads][loop];
    best = std::max(best, value);
  }
};

/// Does three passes of each loop, each over the whole array, like Atoll's loops.
void run_stream(Pages<double>& array, int threads, Best& best) {
  omp_set_num_threads(threads);
  double* const a = array.data();
  const std::size_t n = array.size();
  const auto time = [&](const char* loop, const auto& pass) {
    for (int i = 0; i < 3; ++i) {
      const double start = omp_get_wtime();
      pass();
      best.keep(threads, loop, static_cast<double>(n * sizeof(double)) / (omp_get_wtime() - start));
    }
  };
  time("read", [&] { stream_read(a, n); });
  time("write", [&] { stream_write(a, n); });
  time("copy", [&] { stream_copy(a, a + n / 2, n / 2); });
  time("triad", [&] { stream_triad(a, a + n / 3, a + n / 3 * 2, n / 3); });
}

/// Returns the bytes per second of one of likwid-bench's kernels, also in huge pages; 0 if it isn't
/// installed or lacks the kernel.
double likwid(const std::string& kernel, int threads, std::size_t bytes) {
  const std::string command = fmt::format(
      "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 likwid-bench -t {} -W S0:{}MB:{} -i 3 2>/dev/null",
      kernel, bytes / 1'000'000, threads);
  FILE* const child = ::popen(command.c_str(), "r");
  double megabytes = 0;
  for (char line[256]; child != nullptr && std::fgets(line, sizeof line, child) != nullptr;)
    (void)std::sscanf(line, "MByte/s: %lf", &megabytes);
  if (child != nullptr) ::pclose(child);
  return megabytes * 1e6;
}

void run_likwid(std::size_t bytes, int threads, Best& best) {
  const std::pair<const char*, const char*> kernels[] = {
      {"read", "load"}, {"write", "store"}, {"copy", "copy"}};
  for (const auto& [loop, kernel] : kernels)
    for (const char* vectors : {"_avx512", "_avx", "_sse", ""})  // the widest kernel that exists
      if (const double value = likwid(std::string(kernel) + vectors, threads, bytes); value > 0) {
        best.keep(threads, loop, value);
        break;
      }
}

}  // namespace

int main(int argc, char** argv) {
  const Atoll::Machine machine = Atoll::Machine::this_computer();
  if (machine.memories().size() > 1) {  // the baselines don't place their memory
    fmt::print("suite measure compares on machines with one memory; this one has {}\n",
               machine.memories().size());
    return 0;
  }
  const Atoll::NodeId node = machine.memories().front().id;
  const auto measure = [&] {
    return Atoll::measure::measure_links(machine, {.seconds_a_figure = 0}).machine;
  };
  const Atoll::Link first = measure().link(node, node);
  // The same size as the measurement's own array: four times the caches.
  const auto bytes = std::max<std::uint64_t>(
      256 * Atoll::kMiB, 4 * (machine.caches().l3_bytes +
                              machine.caches().l2_bytes * first.by_threads.back().threads));
  Pages<Line> lines(bytes / sizeof(Line));
  shuffle(lines);
  Pages<double> array(bytes / sizeof(double));

  constexpr int kRounds = 6;
  Best ours, stream, likwid_bench;
  Line* at = lines.data();
  for (int round = 0; round < kRounds; ++round) {
    const Atoll::Machine measured = measure();
    const Atoll::Link& link = measured.link(node, node);
    ours.latency_ns = std::min(ours.latency_ns, link.latency_ns.value);
    for (int i = 0; i < 3; ++i) stream.latency_ns = std::min(stream.latency_ns, chase(at, 1 << 18));
    for (const Atoll::ThreadsBandwidth& row : link.by_threads) {
      ours.keep(row.threads, "read", row.read_bytes_per_second.value);
      ours.keep(row.threads, "write", row.write_bytes_per_second.value);
      ours.keep(row.threads, "copy", row.copy_bytes_per_second.value);
      run_stream(array, row.threads, stream);
      run_likwid(bytes, row.threads, likwid_bench);
    }
  }

  Atoll::bench::Suite suite("measure");
  // For one thread, both values are the best of many passes, so a difference of 50 % isn't noise
  // but a different quantity. Several threads may never have had all processing units to
  // themselves.
  const auto near = [](double value, double baseline, const std::string& name) {
    require(value > baseline / 1.5 && value < baseline * 1.5,
            fmt::format("{} is far from what another program measures", name));
  };
  suite.row("latency", "ns", ours.latency_ns, "shuffled list", stream.latency_ns);
  near(ours.latency_ns, stream.latency_ns, "latency");
  for (const auto& [threads, loops] : ours.bytes_per_second)
    for (const auto& [loop, best] : loops) {
      const std::string name = fmt::format("{}, {} threads", loop, threads);
      const double baseline = stream.bytes_per_second[threads][loop];
      suite.row(name, "GB/s", best / 1e9, "STREAM in OpenMP", baseline / 1e9);
      if (threads == 1) near(best, baseline, name);
      if (const double other = likwid_bench.bytes_per_second[threads][loop]; other > 0)
        suite.row(name, "GB/s", best / 1e9, "likwid-bench", other / 1e9);
    }
  for (const auto& [threads, loops] : stream.bytes_per_second)
    suite.row(fmt::format("copy, {} threads", threads), "GB/s",
              ours.bytes_per_second[threads]["copy"] / 1e9, "STREAM's triad",
              loops.at("triad") / 1e9);
  suite.write(argc, argv);
}
