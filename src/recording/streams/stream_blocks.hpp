// Reader of the blocks of a stream file, versions 1 to 3 (docs/trace-file.md). It verifies each
// block.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/recording/recording.hpp"

namespace Atoll::recording {

inline constexpr char kStreamMagic[8] = {'a', 't', 'o', 'l', 'l', 't', 'r', 'c'};
/// Timed streams have version 3; other files have version 2, which older programs can read.
inline constexpr std::uint32_t kStreamVersion = 2, kTimedStreamVersion = 3;
inline constexpr std::uint32_t kMaxWordsOfBlock = 1U << 20, kMaxBytesOfBlock = 1U << 30;

/// Kinds of blocks from version 2 on. Readers skip unknown kinds.
enum class BlockKind : std::uint32_t { words = 1, ranges = 2, recording = 3 };
/// Header of each block from version 2 on.
struct BlockHeader {
  std::uint32_t kind;
  std::uint32_t bytes;     ///< number of bytes after the header
  std::uint64_t checksum;  ///< XXH3 of these bytes; the seed is XXH3 of the header's first 8
};
static_assert(sizeof(BlockHeader) == 16);
/// Second header of blocks of words and of ranges. The rest of the block is compressed.
struct WordsHeader {
  std::uint32_t stream, words;
  std::uint64_t number;  ///< index among the stream's blocks, from 0
};
static_assert(sizeof(WordsHeader) == 16);

[[nodiscard]] std::uint64_t checksum_of(const BlockHeader& header,
                                        std::span<const std::uint8_t> of);

/// Throws Error (input) with the position if the file is damaged.
class BlockReader {
 public:
  explicit BlockReader(const std::string& path);

  /// Reads all blocks except those of words. Then recording() is complete, including the ranges and
  /// each thread's stream.
  void read_recording();
  /// Reads the next block of words. Returns false if there are no more.
  [[nodiscard]] bool next();
  [[nodiscard]] std::uint32_t stream() const { return words_header_.stream; }
  /// Returns the positions of the blocks of words by stream number, in the order of each stream.
  /// Valid after read_recording().
  [[nodiscard]] const std::map<std::uint32_t, std::vector<std::streamoff>>& places() const {
    return places_;
  }
  /// Returns the number of blocks of words. Valid after read_recording().
  [[nodiscard]] std::uint64_t count() const;
  /// Reads the block of words at one of the positions of places().
  void read_at(std::streamoff place);
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }
  [[nodiscard]] Recording& recording() { return recording_; }
  [[nodiscard]] int version() const { return version_; }
  /// Throws an error with the position of the last block.
  [[noreturn]] void damaged(std::string_view what) const { damaged(at_, what); }
  /// Throws an error with the given position.
  [[noreturn]] void damaged(std::streamoff at, std::string_view what) const;
  /// Returns the position of the last block, in bytes.
  [[nodiscard]] std::streamoff place() const { return at_; }

 private:
  /// Content of a block, in any version.
  enum class Content { words, ids, ranges, recording, unknown };
  void read_header();
  void read_header_1();
  void read_payload();
  void skip_payload();
  void index_words();
  void unpack();
  void unpack_words();
  void rewind();
  template <typename T>
  bool read(T& value) {
    return static_cast<bool>(file_.read(reinterpret_cast<char*>(&value), sizeof value));
  }

  std::string path_;
  std::ifstream file_;
  int version_ = 0;
  std::streamoff begin_ = 0, size_ = 0, at_ = 0;
  // Fields of the last block:
  Content content_ = Content::unknown;
  std::uint64_t checksum_ = 0, seed_ = 0;
  std::uint32_t bytes_ = 0;
  std::uint32_t code_bytes_ = 0;  ///< version 1 only
  WordsHeader words_header_{};
  std::vector<std::uint8_t> payload_, code_;
  std::vector<std::uint64_t> words_;
  std::map<std::uint32_t, std::uint64_t> blocks_;  ///< number of blocks read, by stream
  std::map<std::uint32_t, std::vector<std::streamoff>> places_;
  Recording recording_;
};

}  // namespace Atoll::recording
