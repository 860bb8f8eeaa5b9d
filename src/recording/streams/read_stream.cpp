#include "atoll/recording/read_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unordered_map>

#include "atoll/base/progress.hpp"
#include "recording/streams/consumer_feed.hpp"
#include "recording/streams/stream_blocks.hpp"
#include "recording/threads_of_events.hpp"

namespace Atoll::recording {
void read_stream(const std::string& path, Consumer& consumer) {
  BlockReader blocks(path);
  blocks.read_recording();
  Recording& recording = blocks.recording();
  std::unordered_map<std::uint32_t, std::uint32_t>
      ids;  // thread ids, by the stream's number in the file
  for (Thread& thread : recording.threads) {
    if (thread.stream == kNone) continue;
    ids.emplace(thread.stream, thread.id);
    thread.stream = thread.id;
  }
  const ThreadsOfEvents threads = threads_of_events(recording);
  consumer.begin(recording);
  ConsumerFeed feed(
      consumer, &threads,
      [&](std::int64_t place) { blocks.damaged(place, "has a block whose content is wrong"); },
      most_bytes_of(recording));
  Progress progress("reading " + path, blocks.count());
  while (blocks.next()) {
    progress.add(1);
    const auto id = ids.find(blocks.stream());
    if (id == ids.end())
      blocks.damaged(
          fmt::format("has accesses of thread {} and doesn't tell of it", blocks.stream()));
    feed.feed(id->second, blocks.words(), blocks.place());
  }
  feed.step_done();
  if (feed.is_cut()) blocks.damaged("has a record that is cut off");
  feed.finish();
  consumer.end(recording);
}

bool is_stream_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // a pipe can be read only once
  char magic[sizeof kStreamMagic] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::ranges::equal(magic, kStreamMagic);
}

}  // namespace Atoll::recording
