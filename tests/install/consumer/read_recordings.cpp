// Reads a stored trace and a profile: read_recordings TRACE PROFILE. Prints from each how often
// each large allocation was read and written.
#include <atoll/base/error.hpp>
#include <atoll/profile/profile.hpp>
#include <atoll/recording/objects_by_time.hpp>
#include <atoll/recording/read_stream.hpp>

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>
#include <vector>

using namespace Atoll;

struct Count {
  std::uint64_t reads = 0, writes = 0;
};

void print(const char* what, const recording::Recording& recording,
           const std::map<std::uint32_t, Count>& counts) {
  for (const auto& [id, count] : counts) {
    const recording::Object& object = recording.objects.at(id);
    if (object.kind != recording::ObjectKind::heap) continue;
    std::printf("%s: line %d: %llu reads, %llu writes\n", what,
                recording.sites.at(object.site).frames.front().line,
                static_cast<unsigned long long>(count.reads),
                static_cast<unsigned long long>(count.writes));
  }
}

/// Counts accesses by the object that was at the address at that time. Each thread's stream has its
/// own counts, so that streams may be delivered concurrently.
class CountObjects : public recording::Consumer {
 public:
  void begin(const recording::Recording& recording) override {
    objects_.emplace(recording);
    for (const recording::Thread& thread : recording.threads)
      streams_.push_back({recording::ObjectCursor(*objects_, thread.process), {}});
  }
  recording::StreamWishes stream_wishes() const override { return {.at_once = 4}; }
  void accesses(std::uint32_t stream, std::span<const recording::Access> accesses) override {
    Stream& mine = streams_.at(stream);
    for (const recording::Access& access : accesses) {
      const recording::ObjectsByTime::Found& found = mine.cursor.find(access.address);
      if (found.count != 1) continue;
      Count& count = mine.counts[found.object];
      ++(access.write ? count.writes : count.reads);
    }
  }
  void event(std::uint32_t stream, const recording::StreamEvent& event) override {
    streams_.at(stream).cursor.event(event);
  }
  void end(const recording::Recording& recording) override {
    std::map<std::uint32_t, Count> all;
    for (const Stream& stream : streams_)
      for (const auto& [object, count] : stream.counts) {
        all[object].reads += count.reads;
        all[object].writes += count.writes;
      }
    print("trace", recording, all);
  }

 private:
  struct Stream {
    recording::ObjectCursor cursor;
    std::map<std::uint32_t, Count> counts;
  };
  std::optional<recording::ObjectsByTime> objects_;
  std::vector<Stream> streams_;
};

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  CountObjects counting;
  recording::read_stream(argv[1], counting);

  const profile::Profile profile = profile::load(argv[2]);
  std::map<std::uint32_t, Count> counts;
  for (const profile::PackedChunk& packed : profile.chunks) {
    const profile::Chunk chunk = profile::unpack(packed);  // counts by page
    for (std::size_t page = 0; page < chunk.pages.size(); ++page) {
      counts[chunk.object].reads += chunk.reads[page];
      counts[chunk.object].writes += chunk.writes[page];
    }
  }
  print("profile", profile.recording, counts);
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "read_recordings: %s\n", error.what());
  return 2;
}
