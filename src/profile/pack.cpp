// Encodes varints (seven bits a byte, the lowest first) in columns: gaps between pages, then
// counts.
#include "profile/pack.hpp"

#include <numeric>

#include "atoll/base/error.hpp"

namespace Atoll::profile {
namespace {

constexpr std::size_t kVarintBytes = 10;  ///< maximum

void put(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

void put_pages(std::string& to, const std::vector<std::uint32_t>& pages) {
  std::uint32_t next = 0;
  for (const std::uint32_t page : pages) {
    put(to, page - next);
    next = page + 1;
  }
}

Bytef* bytes_of(std::string& text) {
  return reinterpret_cast<Bytef*>(text.data());
}

[[noreturn]] void damaged() {
  throw Error::input("profile", "a chunk of counts is damaged");
}

}  // namespace

Packer::Packer() {
  // A chunk has a few KiB, so a small window is enough and is reset faster.
  if (deflateInit2(&stream_, 1, Z_DEFLATED, 12, 5, Z_RLE) != Z_OK)
    throw Error::failed("profile", "zlib doesn't start");
}

Packer::~Packer() {
  deflateEnd(&stream_);
}

std::string Packer::compressed() {
  deflateReset(&stream_);
  room_.resize(deflateBound(&stream_, plain_.size()));
  stream_.next_in = bytes_of(plain_);
  stream_.avail_in = static_cast<uInt>(plain_.size());
  stream_.next_out = bytes_of(room_);
  stream_.avail_out = static_cast<uInt>(room_.size());
  if (deflate(&stream_, Z_FINISH) != Z_STREAM_END)
    throw Error::failed("profile", "zlib doesn't compress");
  return room_.substr(0, room_.size() - stream_.avail_out);
}

PackedChunk Packer::pack(const Chunk& chunk) {
  plain_.clear();
  put_pages(plain_, chunk.pages);
  for (const std::uint64_t reads : chunk.reads) put(plain_, reads);
  for (const std::uint64_t writes : chunk.writes) put(plain_, writes);
  for (const std::uint64_t traffic : chunk.traffic) put(plain_, traffic);
  for (const std::uint64_t lines : chunk.lines) put(plain_, lines);
  for (const std::uint64_t epochs : chunk.epochs) put(plain_, epochs);
  return {.object = chunk.object,
          .thread = chunk.thread,
          .first_page = chunk.first_page,
          .page_count = static_cast<std::uint32_t>(chunk.pages.size()),
          .reads = std::accumulate(chunk.reads.begin(), chunk.reads.end(), std::uint64_t{0}),
          .writes = std::accumulate(chunk.writes.begin(), chunk.writes.end(), std::uint64_t{0}),
          .traffic = std::accumulate(chunk.traffic.begin(), chunk.traffic.end(), std::uint64_t{0}),
          .counts = compressed()};
}

std::string Packer::pack(const FirstTouch& touch) {
  plain_.clear();
  put_pages(plain_, touch.pages);
  for (const std::uint32_t thread : touch.threads) put(plain_, thread);
  for (const std::uint64_t epochs : touch.epochs) put(plain_, epochs);
  return compressed();
}

Unpacker::Unpacker() {
  if (inflateInit(&stream_) != Z_OK) throw Error::failed("profile", "zlib doesn't start");
  plain_.resize(kChunkPages * (3 + 4 * kVarintBytes));  // the maximum size of a chunk
}

Unpacker::~Unpacker() {
  inflateEnd(&stream_);
}

void Unpacker::decompress(std::string_view bytes) {
  inflateReset(&stream_);
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib only reads
  stream_.avail_in = static_cast<uInt>(bytes.size());
  stream_.next_out = bytes_of(plain_);
  stream_.avail_out = static_cast<uInt>(plain_.size());
  if (inflate(&stream_, Z_FINISH) != Z_STREAM_END || stream_.avail_in != 0) damaged();
  at_ = 0;
  end_ = plain_.size() - stream_.avail_out;
}

std::uint64_t Unpacker::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; at_ < end_ && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(plain_[at_++]);
    if (shift == 63 && byte > 1) break;
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  damaged();
}

void Unpacker::read_pages(std::uint32_t count, std::vector<std::uint32_t>& pages) {
  if (count == 0 || count > kChunkPages) damaged();
  pages.resize(count);
  std::uint64_t next = 0;
  for (std::uint32_t& page : pages) {
    const std::uint64_t gap = varint();
    if (gap >= kChunkPages || next + gap >= kChunkPages) damaged();
    page = static_cast<std::uint32_t>(next + gap);
    next = page + 1;
  }
}

const Chunk& Unpacker::unpack(const PackedChunk& packed) {
  decompress(packed.counts);
  chunk_.object = packed.object;
  chunk_.thread = packed.thread;
  chunk_.first_page = packed.first_page;
  read_pages(packed.page_count, chunk_.pages);
  const auto column = [&](std::vector<std::uint64_t>& values, std::uint64_t sum) {
    values.resize(packed.page_count);
    std::uint64_t left = sum;
    for (std::uint64_t& value : values) {
      value = varint();
      if (value > left) damaged();
      left -= value;
    }
    if (left != 0) damaged();
  };
  column(chunk_.reads, packed.reads);
  column(chunk_.writes, packed.writes);
  column(chunk_.traffic, packed.traffic);
  chunk_.lines.resize(packed.page_count);
  for (std::uint64_t& lines : chunk_.lines) {
    lines = varint();
    if (lines > recording::kLinesOfPage) damaged();
  }
  chunk_.epochs.resize(packed.page_count);
  for (std::uint64_t& epochs : chunk_.epochs) epochs = varint();
  if (at_ != end_) damaged();
  return chunk_;
}

FirstTouch Unpacker::unpack_touch(std::string_view bytes, std::uint32_t process,
                                  std::uint64_t first_page, std::uint32_t page_count) {
  decompress(bytes);
  FirstTouch touch{.process = process, .first_page = first_page};
  read_pages(page_count, touch.pages);
  for (std::uint32_t i = 0; i < page_count; ++i) {
    const std::uint64_t thread = varint();
    if (thread >= recording::kNone) damaged();
    touch.threads.push_back(static_cast<std::uint32_t>(thread));
  }
  for (std::uint32_t i = 0; i < page_count; ++i) touch.epochs.push_back(varint());
  if (at_ != end_) damaged();
  return touch;
}

Chunk unpack(const PackedChunk& packed) {
  Unpacker unpacker;
  return unpacker.unpack(packed);
}

}  // namespace Atoll::profile
