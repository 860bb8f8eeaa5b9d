// Invalid graph files with valid checksums, to test the checks that follow the checksum's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "graph/file_format.hpp"

namespace Atoll::graph {

/// Returns the file's head. `content` must be at least as long as a head.
inline FileHead head_of(const std::string& content) {
  FileHead head;
  std::memcpy(&head, content.data(), sizeof head);
  return head;
}

/// Returns the content with this head, and with recomputed checksums of the head and of all
/// sections within the file.
inline std::string with_checksums(std::string content, FileHead head) {
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(head.sections, head.table.size()); ++i) {
    SectionEntry& entry = head.table[i];
    if (entry.offset > content.size() || entry.bytes > content.size() - entry.offset ||
        padded(entry.bytes) > content.size() - entry.offset)
      continue;
    std::vector<std::uint64_t> blocks;
    for (std::uint64_t at = 0; at < padded(entry.bytes); at += kChecksumBlock)
      blocks.push_back(
          block_checksum(reinterpret_cast<const std::byte*>(content.data()) + entry.offset + at,
                         std::min<std::uint64_t>(kChecksumBlock, padded(entry.bytes) - at)));
    entry.checksum = section_checksum(blocks);
  }
  head.checksum = head_checksum(head);
  std::memcpy(content.data(), &head, sizeof head);
  return content;
}

}  // namespace Atoll::graph
