#include "trace/stream_code.hpp"

namespace Atoll::trace {
namespace {

void put(std::uint64_t number, std::vector<std::uint8_t>& bytes) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<std::uint8_t>(number | 0x80U));
  bytes.push_back(static_cast<std::uint8_t>(number));
}

bool get(std::span<const std::uint8_t>& bytes, std::uint64_t& number) {
  number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes.empty()) return false;
    const std::uint8_t next = bytes.front();
    bytes = bytes.subspan(1);
    number |= static_cast<std::uint64_t>(next & 0x7fU) << shift;
    if ((next & 0x80U) == 0) return true;
  }
  return false;
}

std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ ((difference >> 63) != 0 ? ~std::uint64_t{0} : 0);
}
std::uint64_t unzigzag(std::uint64_t number) {
  return (number >> 1) ^ ((number & 1U) != 0 ? ~std::uint64_t{0} : 0);
}

}  // namespace

// A word is its low 16 bits (what kind of access), then the high 48 (where) as the difference to
// the word before: the two vary apart.
void encode_words(std::span<const std::uint64_t> words, std::vector<std::uint8_t>& bytes) {
  std::uint64_t before = 0;
  for (const std::uint64_t word : words) {
    put(word & 0xffffU, bytes);
    put(zigzag((word >> 16) - (before >> 16)), bytes);
    before = word;
  }
}

bool decode_words(std::span<const std::uint8_t> bytes, std::size_t count,
                  std::vector<std::uint64_t>& words) {
  std::uint64_t before = 0;
  words.clear();
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t low = 0, high = 0;
    if (!get(bytes, low) || !get(bytes, high) || low > 0xffff) return false;
    before = (((before >> 16) + unzigzag(high)) << 16) | low;
    words.push_back(before);
  }
  return bytes.empty();
}

}  // namespace Atoll::trace
