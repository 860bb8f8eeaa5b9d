// Watches a command and prints how often each large allocation was read and written. The numbers
// are computed twice: from counts, and from the streams of accesses while the program runs.
#include <atoll/base/error.hpp>
#include <atoll/recording/objects_by_time.hpp>
#include <atoll/recording/watch.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace Atoll;

struct Count {
  std::uint64_t reads = 0, writes = 0;
};

/// Sums the counts of each page's lines by object.
struct CountsOfObjects : recording::Consumer {
  std::map<std::uint32_t, Count> counts;
  recording::Recording recording;

  void page(const recording::PageAccesses& page) override {
    for (const recording::ObjectLines& part : page.objects)
      for (const recording::ThreadOnPage& thread : page.threads)
        for (int line = part.first_line; line < part.end_line; ++line) {
          counts[part.object].reads += thread.lines[line].reads;
          counts[part.object].writes += thread.lines[line].writes;
        }
  }
  void end(const recording::Recording& all) override { recording = all; }
};

/// Counts the accesses of streams by 4 KiB page, on several threads concurrently. The objects are
/// known when the program has ended.
struct StreamsOfPages : recording::Consumer {
  std::array<std::map<std::uint64_t, Count>, 64> of_streams;
  std::map<std::uint64_t, Count> pages;
  recording::Recording recording;

  recording::StreamWishes stream_wishes() const override { return {.at_once = 4}; }
  void accesses(std::uint32_t stream, std::span<const recording::Access> accesses) override {
    auto& mine = of_streams.at(stream);
    for (const recording::Access& access : accesses) {
      Count& count = mine[access.address / kPageBytes];
      ++(access.write ? count.writes : count.reads);
    }
  }
  void end(const recording::Recording& all) override {
    recording = all;
    for (const auto& mine : of_streams)
      for (const auto& [page, count] : mine) {
        pages[page].reads += count.reads;
        pages[page].writes += count.writes;
      }
  }
};

void print(const char* how, const recording::Recording& recording, const recording::Object& object,
           const Count& count) {
  const auto& frames = recording.sites.at(object.site).frames;
  std::printf("%s: line %d: %llu reads, %llu writes\n", how, frames.front().line,
              static_cast<unsigned long long>(count.reads),
              static_cast<unsigned long long>(count.writes));
}

int main(int argc, char** argv) try {
  recording::WatchOptions options{.command = {argv + 1, argv + argc}};
  CountsOfObjects counted;
  int status = recording::watch(options, counted);
  for (const recording::Object& object : counted.recording.objects)
    if (object.kind == recording::ObjectKind::heap)
      print("counts", counted.recording, object, counted.counts[object.id]);

  options.streams = true;
  StreamsOfPages streamed;
  status |= recording::watch(options, streamed);
  for (const recording::Object& object : streamed.recording.objects) {
    if (object.kind != recording::ObjectKind::heap) continue;
    Count count;
    const std::uint64_t first = object.address / kPageBytes;
    const std::uint64_t last = (object.address + object.bytes - 1) / kPageBytes;
    for (auto page = streamed.pages.lower_bound(first);
         page != streamed.pages.end() && page->first <= last; ++page) {
      count.reads += page->second.reads;
      count.writes += page->second.writes;
    }
    print("streams", streamed.recording, object, count);
  }
  return status == 0 ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "watch_objects: %s\n", error.what());
  return 2;
}
