// Suite `profile`: the profile of a large run, with 10^6 pages and 64 threads that all use every
// page: time to build, write, read and analyse it, and bytes per (page, thread) pair in the file.
#include <sys/resource.h>

#include <ctime>
#include <filesystem>
#include <random>

#include "atoll/profile/profile.hpp"
#include "bench.hpp"

namespace {

using namespace Atoll;

constexpr std::uint64_t kPages = 1'000'000;
constexpr std::uint32_t kThreads = 64;
constexpr double kPairs = static_cast<double>(kPages) * kThreads;

/// Generates counts up to 10^5, three quarters of them reads. Without cache lines, because 64
/// million pairs with lines would exceed the recorder's memory.
void feed(recording::Consumer& consumer) {
  recording::Recording run;
  run.processes.push_back({});
  run.epochs = 64;
  run.threads.resize(kThreads);
  for (std::uint32_t i = 0; i < kThreads; ++i) run.threads[i].id = run.threads[i].order = i;
  const std::uint64_t first = std::uint64_t{1} << 30;
  recording::Object& object = run.objects.emplace_back();
  object.kind = recording::ObjectKind::heap;
  object.address = first * kPageBytes;
  object.bytes = kPages * kPageBytes;
  consumer.begin(run);
  std::vector<recording::ThreadOnPage> threads(kThreads);
  const recording::ObjectLines whole{0, 0, recording::kLinesOfPage};
  std::minstd_rand random(5);
  for (std::uint64_t page = 0; page < kPages; ++page) {
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      recording::ThreadOnPage& thread = threads[i];
      thread.thread = i;
      thread.reads = 1 + (random() % 100'000 >> random() % 17);
      thread.writes = random() % 4 == 0 ? thread.reads / 3 : 0;
      thread.traffic = thread.reads + thread.writes;
      thread.first_access = page * kThreads + (i + page) % kThreads;
      thread.epochs = 1 + random() % 255;
    }
    consumer.page({.page = first + page, .threads = threads, .objects = {&whole, 1}});
  }
  consumer.end(run);
}

struct Nothing : recording::Consumer {};

/// Wall-clock seconds, and CPU seconds of all processors, on which other programs have little
/// influence.
struct Seconds {
  double clock = 0, processors = 0;
};

Seconds seconds(const std::function<void()>& work) {
  const std::clock_t used = std::clock();
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {elapsed.count(), static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC};
}

}  // namespace

int main(int argc, char** argv) {
  bench::Suite suite("profile");
  const std::string path = "bench_profile.tmp";
  Nothing nothing;
  const Seconds made_up = seconds([&] { feed(nothing); });
  profile::Profile built;
  const Seconds building = seconds([&] {
    profile::ProfileBuilder builder;
    feed(builder);
    built = builder.take();
  });
  const Seconds saving = seconds([&] { save(built, path); });
  profile::Profile loaded;
  const Seconds loading = seconds([&] { loaded = profile::load(path); });
  bench::require(loaded.chunks == built.chunks && loaded.communication == built.communication,
                 "what was saved is loaded");
  const double writing = building.clock - made_up.clock + saving.clock;
  suite.row("write 10^6 pages x 64 threads", "s", writing, "allowed", 10);
  suite.row("of that, the file", "s", saving.clock, "allowed", 10);
  suite.row("the same, processor time", "s",
            building.processors - made_up.processors + saving.processors, "allowed, 2 processors",
            20);
  suite.row("bytes a (page, thread) pair", "B",
            static_cast<double>(std::filesystem::file_size(path)) / kPairs, "allowed", 4);
  suite.row("load", "s", loading.clock, "write", writing);
  std::filesystem::remove(path);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  suite.row("memory of all this", "MiB", static_cast<double>(usage.ru_maxrss) / 1024,
            "20 bytes a pair, twice", 2 * 20 * kPairs / 0x1p20);
  suite.write(argc, argv);
  return 0;
}
