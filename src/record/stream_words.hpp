// Records of a stream, in a ring or in a stream file (docs/trace-file.md). The first word of a
// record has its kind and the number of words that follow. The recorder writes them; `atoll` and
// its tools read them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/record/access_style.hpp"
#include "atoll/record/record_kinds.hpp"

namespace Atoll::record {

/// Kind of a word: the lowest two bits of a record's first word.
/// Word of an access or a range: kind (2 bits), write (1), bytes - 1 (6), style (7), address (48).
/// The writer splits accesses longer than 64 bytes; addresses beyond 48 bits become a range. The
/// style is 0 unless the stream is timed.
/// Word of another record: kind (2 bits), RecordKind (14), number of words that follow (32), 0
/// (16). The words that follow are the fields of the kind (atoll/record/record_kinds.hpp).
enum class WordKind : std::uint64_t {
  access,  ///< no further words
  range,   ///< followed by step (signed), n, loop (its number; ranges of a loop are consecutive; 0:
           ///< alone). Timed streams: the upper 16 bits of the loop's word are the first access's
           ///< dependence
  other,   ///< a RecordKind
};

/// Style of an access as it is recorded; of a range: of each iteration's access.
struct Style {
  AccessStyle access;       ///< `divisions` and `chain` are at most kMaxSlow
  std::uint16_t steps = 0;  ///< iterations of the stepped loop before it; at most kMaxSteps
  bool stepped = false;  ///< range whose iterations are interleaved with accesses that have steps
  friend constexpr bool operator==(const Style&, const Style&) = default;
};
/// The last style number is reserved for readers' internal use.
inline constexpr std::uint32_t kStyles = kAccessStyles, kToldStyles = kStyles - 1;
inline constexpr unsigned kDependenceOfRange = 48;  ///< bit position in the loop's word
inline constexpr unsigned kBitsOfSlow = 12, kBitsOfSteps = 8;
inline constexpr std::uint32_t kMaxSlow = (1U << kBitsOfSlow) - 1,
                               kMaxSteps = (1U << kBitsOfSteps) - 1;
/// Rows of a style's two words: X(word, first bit, bits, member of Style, meaning). Bits 0 to 6 of
/// the first word are the style's number.
#define ATOLL_STYLE_FIELDS(X)                                                                     \
  X(1, 7, 1, access.atomic, "1: the access is a part of an atomic operation")                     \
  X(1, 8, 1, stepped, "1: a stepped range")                                                       \
  X(1, 16, kBitsOfSteps, steps, "steps of the stepped loop")                                      \
  X(1, 24, kBitsOfSlow, access.work.divisions,                                                    \
    "number of the instructions that are divisions or square roots")                              \
  X(1, 36, kBitsOfSlow, access.work.chain,                                                        \
    "number that are chain steps: floating-point operations that depend on the one before")       \
  X(2, 0, 32, access.work.instructions,                                                           \
    "instructions since the thread's previous access, without the access's own instruction")      \
  X(2, 32, 32, access.depends_on,                                                                 \
    "n: the address comes from the n-th load before this access, in the thread's order; 0: from " \
    "no known load")

/// Returns word 1 (without the style's number) or 2.
inline constexpr std::uint64_t pack_style(const Style& style, unsigned word) {
  std::uint64_t packed = 0;
#define ATOLL_X(of, bit, bits, member, meaning) \
  if (word == (of)) packed |= std::uint64_t{style.member} << (bit);
  ATOLL_STYLE_FIELDS(ATOLL_X)
#undef ATOLL_X
  return packed;
}
inline constexpr std::uint64_t style_word(const Style& style, std::uint32_t index) {
  return index | pack_style(style, 1);
}
inline constexpr std::uint64_t second_style_word(const Style& style) {
  return pack_style(style, 2);
}
inline constexpr std::uint32_t style_index_of(std::uint64_t first) {
  return first & (kStyles - 1);
}
inline constexpr Style style_of(std::uint64_t first, std::uint64_t second) {
  const std::uint64_t words[] = {first, second};
  Style style;
#define ATOLL_X(word, bit, bits, member, meaning)                               \
  style.member = static_cast<decltype(style.member)>(words[(word)-1] >> (bit) & \
                                                     ((std::uint64_t{1} << (bits)) - 1));
  ATOLL_STYLE_FIELDS(ATOLL_X)
#undef ATOLL_X
  return style;
}

/// The field `slow` of a record of work: divisions and chain steps in one word, so that one
/// addition increments both.
template <typename Count>
inline constexpr std::uint64_t slow_word(const WorkCounts<Count>& work) {
  return work.divisions + (std::uint64_t{work.chain} << 32);
}
inline constexpr Work work_of(std::uint64_t instructions, std::uint64_t slow) {
  return {.instructions = instructions, .divisions = slow & 0xffff'ffffU, .chain = slow >> 32};
}
/// Returns the style index in an access's or a range's first word; 0: none.
inline constexpr std::uint32_t style_index_of_access(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 9) & (kStyles - 1);
}
inline constexpr std::uint64_t with_style(std::uint64_t word, std::uint32_t index) {
  return word | std::uint64_t{index} << 9;
}

inline constexpr std::uint64_t stream_word(WordKind kind, std::uint64_t address,
                                           std::uint32_t bytes, bool is_write) {
  return static_cast<std::uint64_t>(kind) | (is_write ? 4U : 0U) |
         (static_cast<std::uint64_t>(bytes - 1) << 3) | (address << 16);
}
inline constexpr std::uint64_t record_word(RecordKind kind, std::uint64_t following) {
  return static_cast<std::uint64_t>(WordKind::other) | (static_cast<std::uint64_t>(kind) << 2) |
         (following << 16);
}
/// A record of `Fields` fields.
template <std::size_t Fields>
struct EncodedRecord {
  std::uint64_t words[1 + Fields];
  static constexpr std::size_t kWords = 1 + Fields;
};
/// Encodes a record from its fields without a mask. The optional ones may be left out.
template <RecordKind kind, typename... Fields>
constexpr EncodedRecord<sizeof...(Fields)> encode_record(Fields... fields) {
  constexpr RecordRow row = *find_row(kind);
  static_assert(sizeof...(Fields) >= row.required, "the kind has more fields");
  static_assert(sizeof...(Fields) <= row.count - (row.has_mask() ? 1 : 0), "it has fewer");
  return {{record_word(kind, sizeof...(Fields)), static_cast<std::uint64_t>(fields)...}};
}
inline constexpr WordKind kind_of(std::uint64_t word) {
  return static_cast<WordKind>(word & 3U);
}
inline constexpr RecordKind record_kind_of(std::uint64_t word) {
  return static_cast<RecordKind>((word >> 2) & 0x3fffU);
}
/// Returns the number of words of the record that follow.
inline constexpr std::uint64_t following_of(std::uint64_t word) {
  if (kind_of(word) == WordKind::access) return 0;
  return kind_of(word) == WordKind::range ? 3 : (word >> 16) & 0xffff'ffffU;
}
inline constexpr bool is_write_of(std::uint64_t word) {
  return (word & 4U) != 0;
}
inline constexpr std::uint32_t bytes_of(std::uint64_t word) {
  return static_cast<std::uint32_t>((word >> 3) & 63U) + 1;
}
inline constexpr std::uint64_t address_of(std::uint64_t word) {
  return word >> 16;
}

}  // namespace Atoll::record
