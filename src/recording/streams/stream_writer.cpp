#include "recording/streams/stream_writer.hpp"

#include <algorithm>
#include <cstring>

#include "atoll/base/error.hpp"
#include "recording/recording_json.hpp"
#include "recording/streams/stream_blocks.hpp"
#include "recording/streams/stream_code.hpp"

namespace Atoll::recording {
namespace {

std::span<const std::byte> as_bytes(const void* data, std::size_t bytes) {
  return {static_cast<const std::byte*>(data), bytes};
}

}  // namespace

StreamWriter::StreamWriter(std::string path, bool timed)
    : file_(std::move(path)), timed_(timed), packer_(::ZSTD_createCCtx(), ::ZSTD_freeCCtx) {
  if (packer_ == nullptr) throw Error::failed("packing a trace", "there is no memory");
  const std::uint32_t version[2] = {timed ? kTimedStreamVersion : kStreamVersion, 0};
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
  encode_words(words, code_, timed_);
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

}  // namespace Atoll::recording
