// Encoding of a stream's words as bytes. Differences between consecutive words turn regular
// accesses into small, repeated numbers, which compress well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Atoll::recording {

/// Appends the encoding of `words` (recorder/stream_words.hpp; they may begin or end within a
/// record) to `bytes`. If `expects`, the low 16 bits are encoded relative to a prediction, as in
/// files from version 3 on.
void encode_words(std::span<const std::uint64_t> words, std::vector<std::uint8_t>& bytes,
                  bool expects = false);
/// Decodes `bytes`. Returns false unless they encode exactly `count` words.
[[nodiscard]] bool decode_words(std::span<const std::uint8_t> bytes, std::size_t count,
                                std::vector<std::uint64_t>& words, bool expects = false);

}  // namespace Atoll::recording
