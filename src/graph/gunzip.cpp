// Unpacks gzip streams with zlib.
#include "graph/gunzip.hpp"

#include <fmt/format.h>

#include <new>

#include "atoll/base/error.hpp"

namespace Atoll::graph {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;
constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr const char* kDamagedGzip = "the file is damaged: get it again";

}  // namespace

bool is_gzip(std::string_view head) {
  return head.starts_with("\x1f\x8b");
}

Gunzip::Gunzip(ByteSource& packed) : packed_(packed), block_(kReadBytes) {
  if (::inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() {
  ::inflateEnd(&stream_);
}

bool Gunzip::read_packed() {
  const std::size_t got = packed_.read(block_.data(), block_.size());
  stream_.next_in = reinterpret_cast<Bytef*>(block_.data());
  stream_.avail_in = static_cast<uInt>(got);
  return got > 0;
}

std::size_t Gunzip::read_next(char* to, std::size_t bytes) {
  stream_.next_out = reinterpret_cast<Bytef*>(to);
  const auto wanted = stream_.avail_out = static_cast<uInt>(bytes);
  while (stream_.avail_out == wanted) {
    if (stream_.avail_in == 0 && !read_packed()) {
      if (between_streams_) return 0;
      throw Error::input(name(), "can't be unpacked: the gzip stream is cut off", kDamagedGzip);
    }
    // Tapes and block devices pad files with zeros. gzip ignores these, too.
    while (between_streams_ && stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in == 0) continue;
    if (between_streams_) ::inflateReset(&stream_);
    between_streams_ = false;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK && result != Z_STREAM_END)
      throw Error::input(name(),
                         fmt::format("can't be unpacked: {}",
                                     stream_.msg != nullptr ? stream_.msg : "no gzip stream"),
                         kDamagedGzip);
    between_streams_ = result == Z_STREAM_END;
  }
  return bytes - stream_.avail_out;
}

}  // namespace Atoll::graph
