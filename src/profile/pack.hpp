// Chunks and first touches as bytes: varints in columns, compressed by zlib. Counts of neighbouring
// pages are alike, so runs and Huffman codes (zlib's RLE strategy) get most of what there is, fast.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

/// Compresses; keeps zlib's state from one chunk to the next.
class Packer {
 public:
  Packer();
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  [[nodiscard]] PackedChunk pack(const Chunk& chunk);
  [[nodiscard]] std::string pack(const FirstTouch& touch);

 private:
  [[nodiscard]] std::string compressed();

  z_stream stream_{};
  std::string plain_, room_;
};

/// Decompresses; keeps its state and the last chunk's memory.
class Unpacker {
 public:
  Unpacker();
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  /// Valid until the next call. Throws Error (input) for bytes that are no chunk, or not one of
  /// `packed`'s pages and sums.
  [[nodiscard]] const Chunk& unpack(const PackedChunk& packed);
  /// Throws Error (input) likewise.
  [[nodiscard]] FirstTouch unpack_touch(std::string_view bytes, std::uint32_t process,
                                        std::uint64_t first_page, std::uint32_t page_count);

 private:
  void decompress(std::string_view bytes);
  void read_pages(std::uint32_t count, std::vector<std::uint32_t>& pages);
  [[nodiscard]] std::uint64_t varint();

  z_stream stream_{};
  std::string plain_;
  std::size_t at_ = 0, end_ = 0;
  Chunk chunk_;
};

}  // namespace Atoll::profile
