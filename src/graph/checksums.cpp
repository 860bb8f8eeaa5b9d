// XXH3 checksums of the parts of a graph file.
#include <xxhash.h>

#include "graph/file_format.hpp"

namespace Atoll::graph {

std::uint64_t head_checksum(const FileHead& head) {
  return XXH3_64bits(&head, offsetof(FileHead, checksum));
}

std::uint64_t block_checksum(const std::byte* data, std::size_t bytes) {
  return XXH3_64bits(data, bytes);
}

std::uint64_t section_checksum(std::span<const std::uint64_t> blocks) {
  return XXH3_64bits(blocks.data(), blocks.size_bytes());
}

}  // namespace Atoll::graph
