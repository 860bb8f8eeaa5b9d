// Returns the bytes that peek() buffered, then reads on from the source.
#include "graph/byte_source.hpp"

#include <algorithm>
#include <cstring>

namespace Atoll::graph {

std::size_t ByteSource::read(char* to, std::size_t bytes) {
  std::size_t count = std::min(bytes, seen_.size() - at_);
  if (count > 0) {
    std::memcpy(to, seen_.data() + at_, count);
    at_ += count;
  } else {
    count = read_next(to, bytes);
  }
  taken_ += count;
  return count;
}

std::string_view ByteSource::peek(std::size_t bytes) {
  while (seen_.size() - at_ < bytes) {
    const std::size_t before = seen_.size();
    seen_.resize(at_ + bytes);
    const std::size_t got = read_next(seen_.data() + before, seen_.size() - before);
    seen_.resize(before + got);
    if (got == 0) break;
  }
  return std::string_view(seen_).substr(at_);
}

}  // namespace Atoll::graph
