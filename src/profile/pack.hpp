// Serialises chunks and first touches: varints in columns, compressed by zlib. Neighbouring pages
// have similar counts, so run lengths with Huffman codes (zlib's RLE strategy) are fast and nearly
// as small as any other encoding.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

/// Compresses chunks. Keeps zlib's state from one chunk to the next.
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

/// Decompresses chunks. Keeps zlib's state and the last chunk's memory.
class Unpacker {
 public:
  Unpacker();
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  /// Returns a chunk that is valid until the next call. Throws Error (input) if the bytes aren't a
  /// chunk with the pages and sums of `packed`.
  [[nodiscard]] const Chunk& unpack(const PackedChunk& packed);
  /// Returns a first touch. Throws Error (input) if the bytes aren't one.
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
