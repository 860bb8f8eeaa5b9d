// The profile of a large run, 10^6 pages and 64 threads that all use every page: how fast it is
// built, written, read and analysed, and how many bytes a (page, thread) pair takes in the file.
#include <sys/resource.h>

#include <filesystem>
#include <random>

#include "atoll/profile/profile.hpp"
#include "bench.hpp"

namespace {

using namespace Atoll;

constexpr std::uint64_t kPages = 1'000'000;
constexpr std::uint32_t kThreads = 64;
constexpr double kPairs = static_cast<double>(kPages) * kThreads;

/// Counts between some and 10^5, three of four accesses reads; without lines, since 64 million
/// pairs with lines would not fit into the recorder's memory.
void feed(trace::Consumer& consumer) {
  trace::Recording run;
  run.processes.push_back({});
  run.epochs = 64;
  for (std::uint32_t i = 0; i < kThreads; ++i) run.threads.push_back({.id = i, .order = i});
  const std::uint64_t first = std::uint64_t{1} << 30;
  run.objects.push_back({.kind = trace::ObjectKind::heap,
                         .address = first * trace::kPageBytes,
                         .bytes = kPages * trace::kPageBytes});
  consumer.begin(run);
  std::vector<trace::ThreadOnPage> threads(kThreads);
  const trace::ObjectLines whole{0, 0, trace::kLinesOfPage};
  std::minstd_rand random(5);
  for (std::uint64_t page = 0; page < kPages; ++page) {
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      trace::ThreadOnPage& thread = threads[i];
      thread.thread = i;
      thread.reads = 1 + (random() % 100'000 >> random() % 17);
      thread.writes = random() % 4 == 0 ? thread.reads / 3 : 0;
      thread.first_access = page * kThreads + (i + page) % kThreads;
      thread.epochs = 1 + random() % 255;
    }
    consumer.page({.page = first + page, .threads = threads, .objects = {&whole, 1}});
  }
  consumer.end(run);
}

struct Nothing : trace::Consumer {};

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  bench::Suite suite("profile");
  const std::string path = "bench_profile.tmp";
  Nothing nothing;
  const double made_up = seconds([&] { feed(nothing); });
  profile::Profile built;
  const double building = seconds([&] {
    profile::ProfileBuilder builder;
    feed(builder);
    built = builder.take();
  });
  const double saving = seconds([&] { save(built, path); });
  profile::Profile loaded;
  const double loading = seconds([&] { loaded = profile::load(path); });
  bench::require(loaded.chunks == built.chunks && loaded.communication == built.communication,
                 "what was saved is loaded");
  suite.row("write 10^6 pages x 64 threads", "s", building - made_up + saving, "allowed", 10);
  suite.row("of that, the file", "s", saving, "allowed", 10);
  suite.row("bytes a (page, thread) pair", "B",
            static_cast<double>(std::filesystem::file_size(path)) / kPairs, "allowed", 4);
  suite.row("load", "s", loading, "write", building - made_up + saving);
  std::filesystem::remove(path);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  suite.row("memory of all this", "MiB", static_cast<double>(usage.ru_maxrss) / 1024,
            "20 bytes a pair, twice", 2 * 20 * kPairs / 0x1p20);
  suite.write(argc, argv);
  return 0;
}
