// Suite `transfers`: transfers that a program overlaps with its computation [out-of-core-stencils
// §4]. Part 1: reads and writes of a backing file by the engine `file`, relative to plain loops of
// pread and pwrite with O_DIRECT, separately and overlapped. Part 2: copies between memories while
// the team computes on all processing units, by background threads of two priorities, by the team's
// threads between chunks of their work, and after the computation. All data are checked first.
#include <fcntl.h>
#include <unistd.h>
#include <atoll/base/error.hpp>
#include <atoll/base/units.hpp>
#include <atoll/machine/thread_places.hpp>
#include <atoll/memory/backing_file.hpp>
#include <atoll/memory/copy.hpp>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

#include "bench.hpp"

namespace {

using Atoll::kMiB;
using Atoll::bench::alternate;
using Atoll::bench::Clock;
using Atoll::bench::Measured;
using Atoll::bench::require;
using Atoll::bench::seconds_now;
using Atoll::bench::Suite;
using Atoll::bench::summarise;
using Atoll::memory::BackingFile;
using Atoll::memory::CopyEngine;
using Atoll::memory::CopyJob;
using Atoll::memory::CopyPiece;
using Atoll::memory::Transfer;

constexpr std::size_t kBytes = 512 * kMiB;
constexpr std::size_t kTransfer = 4 * kMiB;

struct Buffer {
  explicit Buffer(std::size_t bytes)
      : memory(static_cast<std::byte*>(std::aligned_alloc(4096, bytes + 4096))), size(bytes) {
    std::memset(memory.get(), 0, bytes + 4096);
  }
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  [[nodiscard]] std::byte* data() const { return memory.get(); }
  std::unique_ptr<std::byte, Free> memory;
  std::size_t size;
};

Buffer random_buffer(std::size_t bytes) {
  Buffer buffer(bytes);
  std::mt19937_64 random(1);
  for (std::size_t at = 0; at + 8 <= bytes; at += 8) {
    const std::uint64_t word = random();
    std::memcpy(buffer.data() + at, &word, 8);
  }
  return buffer;
}

/// A file without a name that is written and read by plain loops.
class PlainFile {
 public:
  PlainFile(const std::string& folder, std::size_t bytes)
      : file_(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_DIRECT, 0600)) {
    require(file_ >= 0 && ::fallocate(file_, 0, 0, static_cast<off_t>(bytes)) == 0,
            "a file with O_DIRECT in " + folder);
  }
  ~PlainFile() { ::close(file_); }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  /// Starts a thread that transfers every `threads`-th part of the range, from part `thread` on.
  std::thread start(bool writes, std::size_t offset, std::byte* memory, std::size_t thread,
                    std::size_t threads) const {
    return std::thread([=, this] {
      for (std::size_t at = thread * kTransfer; at < kBytes; at += threads * kTransfer) {
        const auto place = static_cast<off_t>(offset + at);
        const ssize_t done = writes ? ::pwrite(file_, memory + at, kTransfer, place)
                                    : ::pread(file_, memory + at, kTransfer, place);
        require(done == static_cast<ssize_t>(kTransfer), "a plain transfer");
      }
    });
  }

 private:
  int file_;
};

/// The first half of each file is read, the second is written.
struct Files {
  Files(const std::string& folder, const Buffer& source)
      : plain(folder, 2 * kBytes), backing(folder, 2 * kBytes), out(source), in(kBytes) {
    for (const std::size_t offset : {std::size_t{0}, kBytes}) {
      plain.start(true, offset, out.data(), 0, 1).join();
      backing.write(offset, {out.data(), kBytes});
    }
  }
  void plainly(bool reads, bool writes, std::size_t threads) {
    std::vector<std::thread> all;
    for (std::size_t i = 0; i < threads; ++i) {
      if (reads) all.push_back(plain.start(false, 0, in.data(), i, threads));
      if (writes) all.push_back(plain.start(true, kBytes, out.data(), i, threads));
    }
    for (std::thread& thread : all) thread.join();
  }
  /// `shift` is added to the address of the source or target.
  void by(CopyEngine& engine, bool reads, bool writes, std::size_t shift = 0) {
    std::vector<Transfer> transfers;
    if (reads)
      transfers.emplace_back(engine.start(
          {{{.to = in.data() + shift, .bytes = kBytes, .from_file = {&backing, 0}}}, {}}));
    if (writes)
      transfers.emplace_back(engine.start(
          {{{.from = out.data() + shift, .bytes = kBytes, .to_file = {&backing, kBytes}}}, {}}));
    for (Transfer& transfer : transfers) transfer.wait();
  }

  PlainFile plain;
  BackingFile backing;
  const Buffer& out;
  Buffer in;
};

void check(Files& files, CopyEngine& engine) {
  for (const std::size_t shift : {0, 8}) {
    std::memset(files.in.data(), 0, kBytes);
    files.by(engine, true, true, shift);
    require(std::memcmp(files.in.data() + shift, files.out.data(), kBytes) == 0, "bytes read");
    std::memset(files.in.data(), 0, kBytes);
    files.backing.read(kBytes, {files.in.data(), kBytes});
    require(std::memcmp(files.in.data(), files.out.data() + shift, kBytes) == 0, "bytes written");
  }
  std::memset(files.in.data(), 0, kBytes);
  files.plainly(true, true, 2);
  require(std::memcmp(files.in.data(), files.out.data(), kBytes) == 0, "bytes read plainly");
}

void file_transfers(Suite& suite) {
  const std::string folder = std::filesystem::temp_directory_path().string();
  const Buffer source = random_buffer(kBytes);
  if (const BackingFile probe(folder, 1); probe.block_bytes() == 1) {
    fmt::print("left out: transfers of files, because {}\n", probe.refused().front());
    return;
  }
  Files files(folder, source);
  const auto engine = Atoll::memory::file_engine();
  check(files, *engine);
  struct Direction {
    const char* name;
    bool reads, writes;
  };
  for (const auto& [name, reads, writes] :
       {Direction{"read", true, false}, {"write", false, true}, {"read and write", true, true}}) {
    const bool in = reads, out = writes;
    const std::vector<Measured> times =
        alternate({[&] { files.plainly(in, out, 2); }, [&] { files.plainly(in, out, 1); },
                   [&] { files.plainly(in, out, 4); }, [&] { files.by(*engine, in, out); },
                   [&] { files.by(*engine, in, out, 8); }},
                  5);
    const char* const variants[] = {"", "plain x1", "plain x4", "engine", "engine, shifted 8 B"};
    for (std::size_t i = 1; i < times.size(); ++i)
      suite.row(fmt::format("{} 512 MiB, {}", name, variants[i]), "s", times[i].median, "plain x2",
                times[0].median, times[i].spread);
    fmt::print("  MB/s each way: plain {:.0f}, engine {:.0f}\n",
               static_cast<double>(kBytes) / times[0].median / 1e6,
               static_cast<double>(kBytes) / times[3].median / 1e6);
  }
  const auto cpu =
      alternate({[&] { files.plainly(true, true, 2); }, [&] { files.by(*engine, true, true); }}, 3,
                Clock::cpu);
  suite.row("processor time, engine", "s", cpu[1].median, "plain x2", cpu[0].median);
}

/// Sweeps over an array of each thread, in chunks of about a millisecond.
class Computation {
 public:
  Computation(const Atoll::Team& team, std::size_t bytes, std::size_t slice_bytes, int sweeps,
              int chunks)
      : team_(team), slice_(slice_bytes / sizeof(double)), sweeps_(sweeps), chunks_(chunks) {
    values_.resize(static_cast<std::size_t>(team.size()));
    for (auto& own : values_) own.resize(bytes / sizeof(double));
  }
  void reset() {
    team_.run([&](int thread) {
      std::vector<double>& own = values_[static_cast<std::size_t>(thread)];
      std::iota(own.begin(), own.end(), 1.0 + thread);
    });
  }
  [[nodiscard]] int chunks() const { return chunks_; }
  /// Calls between(thread, chunk) after each chunk.
  template <class Between>
  void run(const Between& between) {
    team_.run([&](int thread) {
      std::vector<double>& own = values_[static_cast<std::size_t>(thread)];
      std::size_t at = 0;
      for (int chunk = 0; chunk < chunks_; ++chunk) {
        for (int sweep = 0; sweep < sweeps_; ++sweep)
          for (std::size_t i = at; i < at + slice_; ++i) own[i] = own[i] * 0.999 + 1e-3;
        at = (at + slice_) % own.size();
        between(thread, chunk);
      }
    });
  }
  void run() {
    run([](int, int) {});
  }
  [[nodiscard]] double sum() const {
    double sum = 0;
    for (const auto& own : values_) sum = std::accumulate(own.begin(), own.end(), sum);
    return sum;
  }

 private:
  const Atoll::Team& team_;
  std::size_t slice_;
  int sweeps_, chunks_;
  std::vector<std::vector<double>> values_;
};

struct Copy {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
};

/// Times of a computation and a copy that overlap, in seconds.
struct Overlapped {
  std::vector<double> computed, all, share;  ///< until both are done; share copied until computed
};

void copies_while_all_units_compute(Suite& suite, const Atoll::ThreadPlaces& places) {
  const Atoll::Team team(places);
  const auto low = Atoll::memory::background_engine({.places = places});
  const auto usual = Atoll::memory::background_engine({.places = places, .low_priority = false});
  const auto parallel = Atoll::memory::parallel_engine(team);
  const auto serial = Atoll::memory::serial_engine();
  const Buffer source = random_buffer(kBytes), target(kBytes);
  const Copy copy{target.data(), source.data(), kBytes};
  const auto start = [&](CopyEngine& engine, std::size_t offset, std::size_t bytes) {
    return Transfer(engine.start({{{copy.to + offset, copy.from + offset, bytes}}, {}}));
  };
  struct Load {
    const char* name;
    std::size_t bytes, slice;
    int sweeps, chunks;
  };
  // A slice fits a core's level 2 cache, as in a tiled stencil. In the second load, each byte is
  // used once, so that the computation and the copy share the memory's bandwidth.
  for (const Load& load : {Load{"tiles in caches", 512 << 10, 512 << 10, 60, 200},
                           Load{"bound by memory", 256 << 20, 8 << 20, 1, 200}}) {
    Computation computation(team, load.bytes, load.slice, load.sweeps, load.chunks);
    const char* const names[] = {"copy afterwards", "background, nice 19", "background, usual",
                                 "team, small pieces", "team, 8 MiB pieces"};
    Overlapped times[std::size(names)], alone;
    for (int round = -1; round < 7; ++round) {
      computation.reset();
      double begin = seconds_now(Clock::wall);
      computation.run();
      if (round >= 0) alone.all.push_back(seconds_now(Clock::wall) - begin);
      const double expected = computation.sum();
      for (std::size_t variant = 0; variant < std::size(names); ++variant) {
        std::memset(target.data(), 0, kBytes);
        computation.reset();
        begin = seconds_now(Clock::wall);
        Transfer transfer;
        if (variant == 1) transfer = start(*low, 0, kBytes);
        if (variant == 2) transfer = start(*usual, 0, kBytes);
        std::atomic<std::size_t> done = 0;
        if (variant < 3) {
          computation.run();
        } else {
          // Each thread copies an equal share, a piece after every chunk or every few chunks. The
          // engine `serial` stores pieces of 8 MiB past the caches.
          const auto threads = static_cast<std::size_t>(team.size());
          const auto chunks = static_cast<std::size_t>(computation.chunks());
          const std::size_t share = kBytes / threads;
          const std::size_t piece = variant == 3 ? share / chunks / 64 * 64 : 8 * kMiB;
          const std::size_t pieces = variant == 3 ? chunks : share / piece;
          computation.run([&](int thread, int chunk) {
            const auto number = static_cast<std::size_t>(chunk);
            const std::size_t first = number * pieces / chunks;
            if (first == (number + 1) * pieces / chunks) return;
            start(*serial, static_cast<std::size_t>(thread) * pieces * piece + first * piece, piece)
                .wait();
            done += piece;
          });
        }
        const double computed = seconds_now(Clock::wall) - begin;
        if (variant == 1 || variant == 2) done = transfer.poll().bytes;
        if (variant == 0) start(*parallel, 0, kBytes).wait();
        if (variant >= 3 && done < kBytes) start(*parallel, done, kBytes - done).wait();
        transfer.wait();
        const double all = seconds_now(Clock::wall) - begin;
        require(std::memcmp(target.data(), source.data(), kBytes) == 0, names[variant]);
        require(computation.sum() == expected, "the computation");
        if (round < 0) continue;
        times[variant].computed.push_back(computed);
        times[variant].all.push_back(all);
        times[variant].share.push_back(static_cast<double>(done) / kBytes);
      }
    }
    const Measured base = summarise(alone.all);
    for (std::size_t variant = 0; variant < std::size(names); ++variant) {
      const Measured all = summarise(times[variant].all);
      suite.row(fmt::format("{}: {}", load.name, names[variant]), "s", all.median, "no copy",
                base.median, all.spread);
      fmt::print("  computed after {:.3f} s, when {:.0f} % of 512 MiB was copied\n",
                 summarise(times[variant].computed).median,
                 100 * summarise(times[variant].share).median);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Suite suite("transfers");
  copies_while_all_units_compute(suite, Atoll::spread_places(Atoll::Machine::this_computer()));
  file_transfers(suite);
  suite.write(argc, argv);
}
