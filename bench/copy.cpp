// Suite `copy`: throughput of memory copies [shoal §5.3] by size, engine, number of threads and
// share of two engines (Figures 9 and 10); set-up cost of arrays by layout and page size (Figure 8:
// allocation and copy separately); and the slowdown of a computation by background copies. Each
// method is checked on random bytes before it is timed. The minimum of all times is used, because
// other programs only add time.
#include <atoll/array/transfer.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/units.hpp>
#include <atoll/machine/thread_places.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

#include "bench.hpp"
#include "page_pool.hpp"

namespace {

using Atoll::bench::alternate;
using Atoll::bench::Measured;
using Atoll::bench::require;
using Atoll::bench::Suite;
using Atoll::memory::CopyEngine;
using Atoll::memory::CopyJob;
using Atoll::memory::Transfer;

constexpr std::size_t kMiB = 1024 * 1024;
constexpr std::size_t kLarge = 512 * kMiB;  // much larger than any cache: the largest has 262 MiB

/// Two mapped buffers in 4 KiB pages, aligned like an array's memory.
struct Buffers {
  explicit Buffers(std::size_t bytes) : from(make(bytes)), to(make(bytes)) {
    std::mt19937_64 random(1);
    for (std::size_t at = 0; at + 8 <= bytes; at += 8) {
      const std::uint64_t word = random();
      std::memcpy(from.get() + at, &word, 8);
    }
    std::memset(to.get(), 0, bytes);
  }
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  using Bytes = std::unique_ptr<std::byte, Free>;
  static Bytes make(std::size_t bytes) {
    return Bytes(static_cast<std::byte*>(std::aligned_alloc(4096, bytes)));
  }
  Bytes from, to;
};

/// Returns part number `thread` of `threads`, in whole cache lines.
std::pair<std::size_t, std::size_t> part_of(std::size_t bytes, int thread, int threads) {
  const auto bound = [&](int i) {
    return bytes / 64 * static_cast<std::size_t>(i) / static_cast<std::size_t>(threads) * 64;
  };
  return {bound(thread), bound(thread + 1)};
}

void memcpy_by(const Atoll::Team& team, const Buffers& buffers, std::size_t bytes) {
  team.run([&](int thread) {
    const auto [begin, end] = part_of(bytes, thread, team.size());
    std::memcpy(buffers.to.get() + begin, buffers.from.get() + begin, end - begin);
  });
}

/// The copy loop of the STREAM benchmark, with streaming stores as in its tuned builds.
void stream_by(const Atoll::Team& team, const Buffers& buffers, std::size_t bytes) {
  team.run([&](int thread) {
    const auto [begin, end] = part_of(bytes, thread, team.size());
#if defined(__AVX2__)
    for (std::size_t at = begin; at < end; at += 32)
      _mm256_stream_si256(
          reinterpret_cast<__m256i*>(buffers.to.get() + at),
          _mm256_load_si256(reinterpret_cast<const __m256i*>(buffers.from.get() + at)));
    _mm_sfence();
#else
    volatile double* const to = reinterpret_cast<double*>(buffers.to.get());  // volatile prevents
                                                                              // its conversion to
                                                                              // memcpy
    const auto* const from = reinterpret_cast<const double*>(buffers.from.get());
    for (std::size_t i = begin / 8; i < end / 8; ++i) to[i] = from[i];
#endif
  });
}

/// Starts a copy and waits until it is done. If `alone`, only the engine's own threads work.
void copy_by(CopyEngine& engine, const Buffers& buffers, std::size_t bytes, bool alone = false) {
  CopyJob job;
  job.pieces.push_back({buffers.to.get(), buffers.from.get(), bytes});
  Transfer transfer(engine.start(std::move(job)));
  while (alone && !transfer.poll().done)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  transfer.wait();
}

void check(const std::string& what, const Buffers& buffers, std::size_t bytes,
           const std::function<void()>& copy) {
  std::memset(buffers.to.get(), 0, bytes);
  copy();
  require(std::memcmp(buffers.to.get(), buffers.from.get(), bytes) == 0, what);
}

struct Variant {
  std::string name;
  std::function<void()> copy;
};

/// Adds rows with the times of all variants, relative to the first, and prints their throughputs in
/// a line.
void compare(Suite& suite, const std::string& what, std::size_t bytes, const Buffers& buffers,
             const std::vector<Variant>& variants, int rounds) {
  std::vector<std::function<void()>> copies;
  // Small sizes are repeated, so that cache contents left by the previous variant don't matter.
  const int again = static_cast<int>(std::max<std::size_t>(1, 64 * kMiB / bytes));
  for (const Variant& variant : variants) {
    check(variant.name, buffers, bytes, variant.copy);
    copies.push_back([&variant, again] {
      for (int i = 0; i < again; ++i) variant.copy();
    });
  }
  const std::vector<Measured> times = alternate(copies, rounds);
  for (std::size_t i = 1; i < variants.size(); ++i)
    suite.row(what + " " + variants[i].name, "s", times[i].least / again, variants[0].name,
              times[0].least / again, times[i].spread);
  std::string line = "  copied, GB/s:";
  for (std::size_t i = 0; i < variants.size(); ++i)
    line += fmt::format("  {} {:.1f}", variants[i].name,
                        static_cast<double>(bytes) * again / times[i].least / 1e9);
  fmt::print("{}\n", line);
}

Atoll::ThreadPlaces first_places(const Atoll::ThreadPlaces& places, int count) {
  return {places.begin(), places.begin() + count};
}

/// Figure 9: engines by size and number of threads.
void engines_by_size(Suite& suite, const Atoll::ThreadPlaces& places, const Buffers& buffers) {
  const int all = static_cast<int>(places.size());
  for (const std::size_t bytes : {64 * 1024ul, kMiB, 16 * kMiB, kLarge})
    for (int threads = 1; threads <= all; threads = threads < all ? all : all + 1) {
      const Atoll::ThreadPlaces some = first_places(places, threads);
      const Atoll::Team team(some);
      const auto parallel = Atoll::memory::parallel_engine(team);
      const auto background = Atoll::memory::background_engine({.places = some});
      compare(suite, fmt::format("{} x{}", Atoll::format_bytes(bytes), threads), bytes, buffers,
              {{"memcpy", [&] { memcpy_by(team, buffers, bytes); }},
               {"stream", [&] { stream_by(team, buffers, bytes); }},
               {"parallel", [&] { copy_by(*parallel, buffers, bytes); }},
               {"background", [&] { copy_by(*background, buffers, bytes); }}},
              bytes == kLarge ? 7 : 15);
    }
}

/// Copies of arrays through an engine, relative to memcpy (also by all threads) on the same memory.
void arrays_by_size(Suite& suite, const Atoll::Machine& machine, const Atoll::Team& team,
                    const Buffers& buffers) {
  const Atoll::memory::Context context{machine, team};
  for (const std::size_t bytes : {4 * 1024ul, 64 * 1024ul, kMiB, 16 * kMiB, kLarge}) {
    const std::span source(reinterpret_cast<const std::uint64_t*>(buffers.from.get()), bytes / 8);
    Atoll::Array<std::uint64_t> array(context, source.size(),
                                      Atoll::SingleNode{machine.memories()[0].id});
    const auto by_memcpy = [&] {
      team.run([&](int thread) {
        const auto [begin, end] = part_of(bytes, thread, team.size());
        std::memcpy(array.raw().copy(0) + begin, buffers.from.get() + begin, end - begin);
      });
    };
    array.copy_from(source);
    require(std::memcmp(array.raw().copy(0), source.data(), bytes) == 0, "Array::copy_from");
    const int again = static_cast<int>(std::max<std::size_t>(1, 64 * kMiB / bytes));
    const auto repeated = [again](auto copy) {
      return [again, copy] {
        for (int i = 0; i < again; ++i) copy();
      };
    };
    const std::vector<Measured> times =
        alternate({repeated(by_memcpy), repeated([&] { array.copy_from(source); })},
                  bytes == kLarge ? 7 : 15);
    suite.row(fmt::format("{} Array::copy_from", Atoll::format_bytes(bytes)), "s",
              times[1].least / again, "memcpy", times[0].least / again, times[1].spread);
  }
}

/// Fills with elements of three words, which memset can't do, relative to memset of as many bytes.
void fills(Suite& suite, const Atoll::ThreadPlaces& places, const Buffers& buffers) {
  const Atoll::Team team(places);
  const auto parallel = Atoll::memory::parallel_engine(team);
  const auto background = Atoll::memory::background_engine({.places = places});
  constexpr std::size_t kBytes = kLarge / 24 * 24;
  const auto fill = [&](CopyEngine& engine, std::size_t width) {
    CopyJob job;
    job.pieces.push_back({buffers.to.get(), nullptr, kBytes});
    job.pattern.assign(width, std::byte{});
    for (std::size_t i = 0; i < width; ++i) job.pattern[i] = static_cast<std::byte>(i + 1);
    Transfer(engine.start(std::move(job))).wait();
    require(buffers.to.get()[kBytes - 1] == static_cast<std::byte>(width), "the last element");
  };
  fill(*parallel, 24);
  for (std::size_t i = 0; i < kBytes; ++i)
    if (buffers.to.get()[i] != static_cast<std::byte>(i % 24 + 1)) require(false, "a fill");
  const auto times = alternate(
      {[&] {
         team.run([&](int thread) {
           const auto [begin, end] = part_of(kLarge, thread, team.size());
           std::memset(buffers.to.get() + begin, 1, end - begin);
         });
       },
       [&] { fill(*parallel, 8); }, [&] { fill(*parallel, 24); }, [&] { fill(*background, 8); }},
      7);
  const char* const names[] = {"", "parallel, 8 bytes", "parallel, 24 bytes",
                               "background, 8 bytes"};
  for (std::size_t i = 1; i < times.size(); ++i)
    suite.row(fmt::format("fill 512 MiB {}", names[i]), "s", times[i].least, "memset",
              times[0].least, times[i].spread);
}

/// Figure 9, second axis: throughput of the background engine while no thread waits and helps.
void background_by_helpers(Suite& suite, const Atoll::ThreadPlaces& places,
                           const Buffers& buffers) {
  const Atoll::Team one(first_places(places, 1));
  std::vector<std::unique_ptr<CopyEngine>> engines;
  std::vector<Variant> variants{{"memcpy x1", [&] { memcpy_by(one, buffers, kLarge); }}};
  for (int helpers = 1; helpers <= static_cast<int>(places.size()); helpers *= 2) {
    engines.push_back(
        Atoll::memory::background_engine({.places = places, .helpers_per_node = helpers}));
    variants.push_back(
        {fmt::format("{} helper{}", helpers, helpers > 1 ? "s" : ""),
         [&buffers, engine = engines.back().get()] { copy_by(*engine, buffers, kLarge, true); }});
  }
  compare(suite, "alone", kLarge, buffers, variants, 7);
}

/// Figure 10: one copy by the team's threads and the background engine, by the share of the
/// threads.
void by_share(Suite& suite, const Atoll::ThreadPlaces& places, const Buffers& buffers) {
  const int all = static_cast<int>(places.size());
  for (int threads = 1; threads <= all; threads = threads < all ? all : all + 1) {
    const Atoll::Team team(first_places(places, threads));
    const auto parallel = Atoll::memory::parallel_engine(team);
    const auto background = Atoll::memory::background_engine({.places = places});
    std::vector<std::unique_ptr<CopyEngine>> splits;
    std::vector<Variant> variants{{"parallel", [&] { copy_by(*parallel, buffers, kLarge); }}};
    for (const int percent : {80, 60, 50, 40, 20, 0}) {
      splits.push_back(Atoll::memory::split_engine(*parallel, *background, percent / 100.0));
      variants.push_back({fmt::format("{} %", percent), [&buffers, engine = splits.back().get()] {
                            copy_by(*engine, buffers, kLarge);
                          }});
    }
    compare(suite, fmt::format("split x{}", threads), kLarge, buffers, variants, 7);
  }
}

/// Figure 8: set-up cost of an array before the program runs, allocation and copy separately.
void set_up(Suite& suite, const Atoll::Machine& machine, const Atoll::Team& team) {
  // Two copies or parts even on one node, because the work is the same.
  std::vector<Atoll::NodeId> nodes;
  for (std::size_t i = 0; i < std::max<std::size_t>(2, machine.memories().size()); ++i)
    nodes.push_back(machine.memories()[i % machine.memories().size()].id);
  struct Case {
    std::string name;
    decltype(Atoll::Layout::where) where;
  };
  const std::vector<Case> cases{{"single", Atoll::SingleNode{nodes[0]}},
                                {"distributed", Atoll::Distributed{nodes, 0}},
                                {"partitioned", Atoll::Partitioned{nodes}},
                                {"replicated", Atoll::Replicated{nodes}}};
  const Atoll::memory::Context context{machine, team};
  Atoll::memory::CopyEngines engines(team);
  const std::vector<std::uint64_t> values = [] {
    std::vector<std::uint64_t> made(256 * kMiB / 8);
    std::iota(made.begin(), made.end(), 3);
    return made;
  }();
  std::vector<std::string> names;
  std::vector<Measured> allocation, copy;
  // enough for two copies of an array
  const Atoll::bench::PagePool pool_2m(Atoll::PageSize::pool_2m, 514 * kMiB);
  const Atoll::bench::PagePool pool_1g(Atoll::PageSize::pool_1g, 2048 * kMiB);
  for (const Atoll::PageSize pages : Atoll::kPageSizes)
    for (const Case& one : cases) try {
        Atoll::Layout layout{one.where, pages};
        if (auto* distributed = std::get_if<Atoll::Distributed>(&layout.where))
          distributed->granule_bytes = Atoll::page_bytes(pages);
        std::vector<double> allocating, copying;
        for (int round = -1; round < 5; ++round) {
          const auto start = std::chrono::steady_clock::now();
          Atoll::Array<std::uint64_t> array(context, values.size(), layout);
          const auto allocated = std::chrono::steady_clock::now();
          start_copy(engines, array, values).wait();
          const auto copied = std::chrono::steady_clock::now();
          if (round < 0) {
            for (std::size_t i = 0; i < array.raw().copies(); ++i)
              require(std::memcmp(array.raw().copy(i), values.data(), array.raw().bytes()) == 0,
                      one.name);
            continue;
          }
          allocating.push_back(std::chrono::duration<double>(allocated - start).count());
          copying.push_back(std::chrono::duration<double>(copied - allocated).count());
        }
        names.push_back(fmt::format("{} {}", one.name, to_string(pages)));
        allocation.push_back(Atoll::bench::summarise(std::move(allocating)));
        copy.push_back(Atoll::bench::summarise(std::move(copying)));
      } catch (const Atoll::Error& error) {
        fmt::print("left out: {} in {} pages: {}\n", one.name, to_string(pages), error.what());
      }
  for (std::size_t i = 0; i < names.size(); ++i)
    suite.row("256 MiB " + names[i] + ": allocation", "s", allocation[i].least, names[0],
              allocation[0].least, allocation[i].spread);
  for (std::size_t i = 0; i < names.size(); ++i)
    suite.row("256 MiB " + names[i] + ": copy", "s", copy[i].least, names[0], copy[0].least,
              copy[i].spread);
}

/// Computes on a few KiB, independent of memory bandwidth.
double compute(int thread, int rounds) {
  double values[512];
  for (int i = 0; i < 512; ++i) values[i] = 1 + 1e-3 * (i + thread);
  for (int round = 0; round < rounds; ++round)
    for (double& value : values) value = value * 0.999999 + 1e-6 / value;
  return std::accumulate(std::begin(values), std::end(values), 0.0);
}

/// Slowdown of a compute-bound loop by background copies, on one thread and on all.
void foreground(Suite& suite, const Atoll::ThreadPlaces& places, const Buffers& buffers) {
  const int all = static_cast<int>(places.size());
  for (int threads = 1; threads <= all; threads = threads < all ? all : all + 1) {
    const Atoll::Team team(first_places(places, threads));
    const auto background = Atoll::memory::background_engine({.places = places});
    std::vector<double> sums(static_cast<std::size_t>(threads));
    const auto work = [&] {
      team.run(
          [&](int thread) { sums[static_cast<std::size_t>(thread)] = compute(thread, 400'000); });
    };
    work();
    const std::vector<double> expected = sums;
    double copied = 0;
    std::vector<double> seconds[2];  // seconds of the loop: alone, and concurrently with a copy
    for (int round = 0; round < 22; ++round) {
      std::vector<Transfer> transfers(round % 2 == 0 ? 0 : 16);  // more than can be completed
      for (Transfer& transfer : transfers) {
        CopyJob job;
        job.pieces.push_back({buffers.to.get(), buffers.from.get(), kLarge});
        transfer = Transfer(background->start(std::move(job)));
      }
      const auto start = std::chrono::steady_clock::now();
      work();
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      seconds[round % 2].push_back(elapsed.count());
      for (Transfer& transfer : transfers) copied += static_cast<double>(transfer.cancel());
      require(sums == expected, "the loop beside a copy");
    }
    const double copying = std::accumulate(seconds[1].begin(), seconds[1].end(), 0.0);
    const Measured alone = Atoll::bench::summarise(seconds[0]);
    const Measured beside = Atoll::bench::summarise(seconds[1]);
    suite.row(fmt::format("compute x{}, copy beside it", threads), "s", beside.median, "alone",
              alone.median, beside.spread);
    fmt::print("  copied meanwhile: {:.2f} GB/s\n", copied / copying / 1e9);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Atoll::Machine machine = Atoll::Machine::this_computer();
  const Atoll::ThreadPlaces places = Atoll::spread_places(machine);
  Suite suite("copy");
  {
    const Buffers buffers(kLarge);
    engines_by_size(suite, places, buffers);
    arrays_by_size(suite, machine, Atoll::Team(places), buffers);
    background_by_helpers(suite, places, buffers);
    fills(suite, places, buffers);
    by_share(suite, places, buffers);
    foreground(suite, places, buffers);
  }
  const Atoll::Team team(places);
  set_up(suite, machine, team);
  {
    Atoll::memory::CopyEngines engines(team);
    const auto start = std::chrono::steady_clock::now();
    for (const std::size_t bytes : Atoll::memory::CopyEngines::kClassBytes) {
      CopyJob job;
      job.pieces.push_back({nullptr, nullptr, bytes});
      fmt::print("auto, {}: {}\n", Atoll::format_bytes(bytes), engines.choose(job).name());
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    for (const auto& row : engines.measured())
      fmt::print("  {} {}: {}\n", Atoll::format_bytes(row.class_bytes), row.engine,
                 Atoll::format_bandwidth(row.bytes_per_second));
    suite.row("measuring all engines and sizes", "s", took.count(), "100 ms", 0.1);
  }
  suite.write(argc, argv);
}
