// Codes blocks of a stream's words as bytes. Differences to the word before make regular accesses
// into small, repeated numbers, which deflate packs well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Atoll::trace {

/// Appends the code of `words` (recorder/stream_words.hpp; records may be cut at the ends) to
/// `bytes`. With `expects`, what follows a kind of access is expected to follow it again, as in
/// files from version 3 on.
void encode_words(std::span<const std::uint64_t> words, std::vector<std::uint8_t>& bytes,
                  bool expects = false);
/// Decodes. Returns false unless `bytes` is the code of exactly `count` words.
[[nodiscard]] bool decode_words(std::span<const std::uint8_t> bytes, std::size_t count,
                                std::vector<std::uint64_t>& words, bool expects = false);

}  // namespace Atoll::trace
