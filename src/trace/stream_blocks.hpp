// The blocks of a stream file, of version 1 and 2 (docs/trace-file.md), one by one, each checked.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

inline constexpr char kStreamMagic[8] = {'a', 't', 'o', 'l', 'l', 't', 'r', 'c'};
inline constexpr std::uint32_t kStreamVersion = 2;
inline constexpr std::uint32_t kMaxWordsOfBlock = 1U << 20, kMaxBytesOfBlock = 1U << 30;

/// Of version 2. Readers skip other kinds.
enum class BlockKind : std::uint32_t { words = 1, ranges = 2, recording = 3 };
/// Before each block of version 2.
struct BlockHeader {
  std::uint32_t kind;
  std::uint32_t bytes;     ///< that follow the header
  std::uint64_t checksum;  ///< XXH3 of them, with that of the header's first 8 bytes as seed
};
static_assert(sizeof(BlockHeader) == 16);
/// Then of words and ranges; what follows is packed.
struct WordsHeader {
  std::uint32_t stream, words;
  std::uint64_t number;  ///< of the stream's blocks, from 0
};
static_assert(sizeof(WordsHeader) == 16);

[[nodiscard]] std::uint64_t checksum_of(const BlockHeader& header,
                                        std::span<const std::uint8_t> of);

/// Throws Error (input) for what is damaged, with the place.
class BlockReader {
 public:
  explicit BlockReader(const std::string& path);

  /// Reads what isn't words: recording(), with the threads that streams are of and the ranges.
  void read_recording();
  /// The next block of words, and its stream; false: there are no more.
  [[nodiscard]] bool next();
  [[nodiscard]] std::uint32_t stream() const { return words_header_.stream; }
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }
  [[nodiscard]] Recording& recording() { return recording_; }
  [[nodiscard]] int version() const { return version_; }
  /// What is wrong where the last block begins.
  [[noreturn]] void damaged(std::string_view what) const { damaged(at_, what); }

 private:
  /// As in both versions.
  enum class Content { words, ids, ranges, recording, unknown };
  void read_header();
  void read_header_1();
  void read_payload();
  void skip_payload();
  void unpack();
  void unpack_words();
  void rewind();
  template <typename T>
  bool read(T& value) {
    return static_cast<bool>(file_.read(reinterpret_cast<char*>(&value), sizeof value));
  }
  [[noreturn]] void damaged(std::streamoff at, std::string_view what) const;

  std::string path_;
  std::ifstream file_;
  int version_ = 0;
  std::streamoff begin_ = 0, size_ = 0, at_ = 0;
  // Of the last block.
  Content content_ = Content::unknown;
  std::uint64_t checksum_ = 0, seed_ = 0;
  std::uint32_t bytes_ = 0;
  std::uint32_t code_bytes_ = 0;  ///< of version 1
  WordsHeader words_header_{};
  std::vector<std::uint8_t> payload_, code_;
  std::vector<std::uint64_t> words_;
  std::map<std::uint32_t, std::uint64_t> blocks_;  ///< by stream
  Recording recording_;
};

}  // namespace Atoll::trace
