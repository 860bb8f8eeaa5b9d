#include "recording/streams/stream_blocks.hpp"

#include <fmt/format.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "atoll/base/error.hpp"
#include "recording/recording_json.hpp"
#include "recording/streams/stream_code.hpp"

namespace Atoll::recording {
namespace {

constexpr char kMagic1[8] = {'a', 't', 'o', 'l', 'l', 't', 'r', '2'};  // version 1
constexpr std::uint32_t kRecording1 = kNone,
                        kIds1 = kNone - 1;  // in the field of the stream's number
constexpr std::size_t kMaxCodeBytes = std::size_t{kMaxWordsOfBlock} * 13;

/// Header of each block of version 1.
struct BlockHeader1 {
  std::uint32_t stream, words;
  std::uint64_t number;
  std::uint32_t code_bytes, packed_bytes;
  std::uint64_t checksum;
};
static_assert(sizeof(BlockHeader1) == 32);

/// Returns ranges for version 1, which has none, from its objects' addresses. Several objects may
/// share them.
std::vector<ObjectRange> ranges_of_objects(const Recording& recording) {
  std::vector<ObjectRange> ranges;
  for (const Object& object : recording.objects)
    if (object.kind != ObjectKind::other)
      ranges.push_back({.process = object.process,
                        .object = object.id,
                        .begin = object.address,
                        .end = object.address + object.bytes});
  return ranges;
}

}  // namespace

std::uint64_t checksum_of(const BlockHeader& header, std::span<const std::uint8_t> of) {
  const XXH64_hash_t of_header = XXH3_64bits(&header, offsetof(BlockHeader, checksum));
  return XXH3_64bits_withSeed(of.data(), of.size(), of_header);
}

BlockReader::BlockReader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
  if (!file_) throw Error::input(path, "can't be opened", "give a file of atoll trace -o");
  char magic[8] = {};
  file_.read(magic, sizeof magic);
  if (std::memcmp(magic, kMagic1, sizeof magic) == 0) {
    version_ = 1;
  } else if (std::memcmp(magic, kStreamMagic, sizeof magic) == 0) {
    std::uint32_t version[2] = {};
    if (!read(version)) damaged(0, "is cut off");
    if (version[0] != kStreamVersion && version[0] != kTimedStreamVersion)
      throw Error::input(path, fmt::format("is a trace of version {}", version[0]),
                         "read it by the atoll that wrote it");
    if (version[1] != 0) damaged(12, "has something where nothing is");
    version_ = static_cast<int>(version[0]);
  } else {
    throw Error::input(path, "is no trace of atoll", "record it again");
  }
  begin_ = file_.tellg();
  file_.seekg(0, std::ios::end);
  size_ = file_.tellg();
  file_.seekg(begin_);
}

void BlockReader::damaged(std::streamoff at, std::string_view what) const {
  throw Error::input(fmt::format("{}: byte {}", path_, at), what, "record it again");
}

void BlockReader::rewind() {
  file_.clear();
  file_.seekg(begin_);
  blocks_.clear();
}

void BlockReader::read_header_1() {
  BlockHeader1 header{};
  if (!read(header)) damaged(at_, "is cut off");
  if (header.packed_bytes > kMaxBytesOfBlock || header.code_bytes > kMaxBytesOfBlock)
    damaged(at_, "has a block of impossible size");
  content_ = header.stream == kRecording1 ? Content::recording
             : header.stream == kIds1     ? Content::ids
                                          : Content::words;
  bytes_ = header.packed_bytes;
  code_bytes_ = header.code_bytes;
  checksum_ = header.checksum;
  seed_ = XXH3_64bits(&header, offsetof(BlockHeader1, checksum));
  words_header_ = {header.stream, header.words, header.number};
}

void BlockReader::read_header() {
  at_ = file_.tellg();
  if (version_ == 1) return read_header_1();
  BlockHeader header{};
  if (!read(header)) damaged(at_, "is cut off");
  if (header.bytes > kMaxBytesOfBlock) damaged(at_, "has a block of impossible size");
  bytes_ = header.bytes;
  checksum_ = header.checksum;
  seed_ = XXH3_64bits(&header, offsetof(BlockHeader, checksum));
  switch (static_cast<BlockKind>(header.kind)) {
    case BlockKind::words:
      content_ = Content::words;
      return;
    case BlockKind::ranges:
      content_ = Content::ranges;
      return;
    case BlockKind::recording:
      content_ = Content::recording;
      return;
  }
  content_ = Content::unknown;
}

void BlockReader::skip_payload() {
  const std::streamoff behind = file_.tellg() + std::streamoff{bytes_};
  if (behind > size_) damaged(at_, "is cut off");
  file_.seekg(behind);
}

/// Stores the position of a block of words, whose header was just read.
void BlockReader::index_words() {
  const std::streamoff behind = file_.tellg();
  if (version_ != 1 && (bytes_ < sizeof words_header_ || !read(words_header_)))
    damaged(at_, "has a block of impossible size");
  file_.seekg(behind);
  std::vector<std::streamoff>& places = places_[words_header_.stream];
  if (words_header_.number != places.size()) damaged(at_, "lacks a block of a thread");
  places.push_back(at_);
}

std::uint64_t BlockReader::count() const {
  std::uint64_t blocks = 0;
  for (const auto& [stream, places] : places_) blocks += places.size();
  return blocks;
}

void BlockReader::read_at(std::streamoff place) {
  file_.seekg(place);
  read_header();
  read_payload();
  unpack_words();
}

void BlockReader::read_payload() {
  if (file_.tellg() + std::streamoff{bytes_} > size_) damaged(at_, "is cut off");
  payload_.resize(bytes_);
  if (!file_.read(reinterpret_cast<char*>(payload_.data()), bytes_)) damaged(at_, "is cut off");
  if (XXH3_64bits_withSeed(payload_.data(), bytes_, seed_) != checksum_)
    damaged(at_, "has a wrong checksum");
}

void BlockReader::unpack() {
  std::span<const std::uint8_t> packed = payload_;
  bool is_right = false;
  if (version_ == 1) {
    uLongf bytes = code_bytes_;
    code_.resize(code_bytes_);
    is_right = ::uncompress(code_.data(), &bytes, packed.data(), packed.size()) == Z_OK &&
               bytes == code_bytes_;
  } else {
    if (content_ != Content::recording) {
      if (packed.size() < sizeof words_header_) damaged(at_, "has a block of impossible size");
      std::memcpy(&words_header_, packed.data(), sizeof words_header_);
      packed = packed.subspan(sizeof words_header_);
    }
    const unsigned long long bytes = ::ZSTD_getFrameContentSize(packed.data(), packed.size());
    const std::size_t most =
        content_ == Content::recording ? std::size_t{kMaxBytesOfBlock} : kMaxCodeBytes;
    if (bytes <= most) {  // error codes are larger than any size
      code_.resize(bytes);
      is_right = ::ZSTD_decompress(code_.data(), bytes, packed.data(), packed.size()) == bytes;
    }
  }
  if (!is_right) damaged(at_, "has a block that can't be unpacked");
}

void BlockReader::unpack_words() {
  unpack();
  if (words_header_.words > kMaxWordsOfBlock ||
      !decode_words(code_, words_header_.words, words_,
                    version_ == static_cast<int>(kTimedStreamVersion)))
    damaged(at_, "has a block whose content is wrong");
}

void BlockReader::read_recording() {
  std::vector<std::uint64_t> ids;
  std::vector<ObjectRange> ranges;
  for (content_ = Content::unknown; content_ != Content::recording;) {
    read_header();
    if (content_ == Content::words || content_ == Content::unknown) {
      if (content_ == Content::words) index_words();
      skip_payload();
      continue;
    }
    read_payload();
    if (content_ == Content::recording) {
      unpack();
      recording_ =
          recording_from_json({reinterpret_cast<const char*>(code_.data()), code_.size()}, path_);
      continue;
    }
    unpack_words();
    if (content_ == Content::ids) {
      ids.insert(ids.end(), words_.begin(), words_.end());
      continue;
    }
    if (words_.size() % 6 != 0) damaged(at_, "has a block whose content is wrong");
    for (std::size_t i = 0; i < words_.size(); i += 6)
      ranges.push_back({static_cast<std::uint32_t>(words_[i]),
                        static_cast<std::uint32_t>(words_[i + 1]), words_[i + 2], words_[i + 3],
                        words_[i + 4], words_[i + 5]});
  }
  if (file_.tellg() != size_) damaged(file_.tellg(), "goes on behind its end");
  if (version_ == 1) {
    for (std::size_t stream = 0; stream < ids.size(); ++stream)
      if (ids[stream] < recording_.threads.size())
        recording_.threads[ids[stream]].stream = static_cast<std::uint32_t>(stream);
    ranges = ranges_of_objects(recording_);
  }
  for (const ObjectRange& range : ranges)
    if (range.process >= recording_.processes.size() || range.object >= recording_.objects.size())
      damaged("has addresses of an object that isn't there");
  recording_.ranges = std::move(ranges);
  rewind();
}

bool BlockReader::next() {
  for (;;) {
    read_header();
    read_payload();
    if (content_ == Content::recording) return false;
    if (content_ != Content::words) continue;
    unpack_words();
    if (words_header_.number != blocks_[words_header_.stream]++)
      damaged(at_, "lacks a block of a thread");
    return true;
  }
}

}  // namespace Atoll::recording
