#include "trace/stream_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "atoll/base/error.hpp"
#include "trace/recording_json.hpp"
#include "trace/stream_blocks.hpp"
#include "trace/stream_code.hpp"
#include "trace/stream_decoder.hpp"

namespace Atoll::trace {
namespace {

std::span<const std::byte> as_bytes(const void* data, std::size_t bytes) {
  return {static_cast<const std::byte*>(data), bytes};
}

/// Returns which threads were created or joined by which events.
ThreadsOfEvents threads_of_events(const Recording& recording) {
  ThreadsOfEvents threads;
  for (const Thread& thread : recording.threads)
    for (const std::uint64_t event : {thread.created_event, thread.joined_event})
      if (event != kNoEvent) threads.emplace(event, thread.id);
  return threads;
}

}  // namespace

StreamWriter::StreamWriter(std::string path)
    : file_(std::move(path)), packer_(::ZSTD_createCCtx(), ::ZSTD_freeCCtx) {
  if (packer_ == nullptr) throw Error::failed("packing a trace", "there is no memory");
  const std::uint32_t version[2] = {kStreamVersion, 0};
  file_.write(as_bytes(kStreamMagic, sizeof kStreamMagic));
  file_.write(as_bytes(version, sizeof version));
}

void StreamWriter::write(std::uint32_t stream, std::span<const std::uint64_t> words) {
  for (; !words.empty();) {
    const auto part = words.first(std::min<std::size_t>(words.size(), kMaxWordsOfBlock));
    write_words(static_cast<std::uint32_t>(BlockKind::words), stream, part, blocks_[stream]++);
    words_ += part.size();
    words = words.subspan(part.size());
  }
}

void StreamWriter::finish(const Recording& recording) {
  constexpr std::size_t kRangesAtOnce = 1 << 16;
  std::vector<std::uint64_t> words;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < recording.ranges.size(); ++i) {
    const ObjectRange& range = recording.ranges[i];
    words.insert(words.end(),
                 {range.process, range.object, range.begin, range.end, range.from, range.until});
    if (words.size() != 6 * kRangesAtOnce && i + 1 != recording.ranges.size()) continue;
    write_words(static_cast<std::uint32_t>(BlockKind::ranges), 0, words, number++);
    words.clear();
  }
  const std::string json = to_json(recording);
  code_.assign(json.begin(), json.end());
  payload_.clear();
  write_block(static_cast<std::uint32_t>(BlockKind::recording), 6);
  file_.commit();
}

void StreamWriter::write_words(std::uint32_t kind, std::uint32_t stream,
                               std::span<const std::uint64_t> words, std::uint64_t number) {
  code_.clear();
  encode_words(words, code_);
  const WordsHeader header{stream, static_cast<std::uint32_t>(words.size()), number};
  payload_.resize(sizeof header);
  std::memcpy(payload_.data(), &header, sizeof header);
  write_block(kind, 1);
}

void StreamWriter::write_block(std::uint32_t kind, int level) {
  const std::size_t before = payload_.size();
  payload_.resize(before + ::ZSTD_compressBound(code_.size()));
  const std::size_t packed =
      ::ZSTD_compressCCtx(packer_.get(), payload_.data() + before, payload_.size() - before,
                          code_.data(), code_.size(), level);
  if (::ZSTD_isError(packed) != 0)
    throw Error::failed("packing a trace", ::ZSTD_getErrorName(packed));
  payload_.resize(before + packed);
  BlockHeader header{.kind = kind, .bytes = static_cast<std::uint32_t>(payload_.size())};
  header.checksum = checksum_of(header, payload_);
  file_.write(as_bytes(&header, sizeof header));
  file_.write(as_bytes(payload_.data(), payload_.size()));
}

void read_stream(const std::string& path, Consumer& consumer) {
  BlockReader blocks(path);
  blocks.read_recording();
  Recording& recording = blocks.recording();
  std::unordered_map<std::uint32_t, std::uint32_t>
      ids;  // of threads, by the stream's number in the file
  for (Thread& thread : recording.threads) {
    if (thread.stream == kNone) continue;
    ids.emplace(thread.stream, thread.id);
    thread.stream = thread.id;
  }
  const ThreadsOfEvents threads = threads_of_events(recording);
  consumer.begin(recording);
  const bool wants_ranges = consumer.stream_wishes().ranges;
  std::map<std::uint32_t, StreamDecoder> streams;
  const auto room = std::make_unique<StreamDecoder::Room>();
  while (blocks.next()) {
    const auto id = ids.find(blocks.stream());
    if (id == ids.end())
      blocks.damaged(
          fmt::format("has accesses of thread {} and doesn't tell of it", blocks.stream()));
    auto& decoder = streams.try_emplace(id->second, id->second, wants_ranges).first->second;
    if (!decoder.add(blocks.words(), *room, &threads, consumer))
      blocks.damaged("has a block whose content is wrong");
  }
  for (auto& [stream, decoder] : streams) {
    if (decoder.is_cut()) blocks.damaged("has a record that is cut off");
    decoder.finish(*room, consumer);
  }
  consumer.end(recording);
}

}  // namespace Atoll::trace
