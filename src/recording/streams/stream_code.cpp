#include "recording/streams/stream_code.hpp"

#include <array>

namespace Atoll::recording {
namespace {

void put(std::uint64_t number, std::vector<std::uint8_t>& bytes) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<std::uint8_t>(number | 0x80U));
  bytes.push_back(static_cast<std::uint8_t>(number));
}

constexpr std::ptrdiff_t kLongest = 10;  // maximum size of a number, in bytes

/// Decodes a number. Returns false if the bytes end within it.
bool get(const std::uint8_t*& at, const std::uint8_t* end, std::uint64_t& number) {
  number = 0;
  for (int shift = 0; shift < 7 * kLongest; shift += 7) {
    if (at == end) return false;
    const std::uint8_t next = *at++;
    number |= static_cast<std::uint64_t>(next & 0x7fU) << shift;
    if ((next & 0x80U) == 0) return true;
  }
  return false;
}

/// As get(), without checking for the end: at least kLongest bytes must be left.
inline bool get_quickly(const std::uint8_t*& at, std::uint64_t& number) {
  number = *at++;
  if (number < 0x80) return true;
  number &= 0x7fU;
  for (int shift = 7; shift < 7 * kLongest; shift += 7) {
    const std::uint8_t next = *at++;
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

/// Predicts the low 16 bits of a word: those that last followed a word of the same class.
class LowBitsPredictor {
 public:
  /// Returns the prediction for the next word.
  [[nodiscard]] std::uint16_t expected() const { return behind_[place_]; }
  void see(std::uint64_t low) {
    behind_[place_] = static_cast<std::uint16_t>(low);
    place_ = (low ^ low >> 9) % behind_.size();
  }

 private:
  std::array<std::uint16_t, 1024> behind_{};
  std::size_t place_ = 0;
};

}  // namespace

// The low 16 bits of a word (the kind of access) and its high 48 bits (the address, as a difference
// to the previous word) are encoded separately, since the two vary independently.
void encode_words(std::span<const std::uint64_t> words, std::vector<std::uint8_t>& bytes,
                  bool expects) {
  std::uint64_t before = 0;
  LowBitsPredictor follower;
  for (const std::uint64_t word : words) {
    const std::uint64_t low = word & 0xffffU;
    if (!expects)
      put(low, bytes);
    else if (low == follower.expected())
      put(0, bytes);
    else
      put(low + 1, bytes);
    if (expects) follower.see(low);
    put(zigzag((word >> 16) - (before >> 16)), bytes);
    before = word;
  }
}

bool decode_words(std::span<const std::uint8_t> bytes, std::size_t count,
                  std::vector<std::uint64_t>& words, bool expects) {
  words.clear();
  if (count > bytes.size()) return false;  // each word has at least two bytes
  words.resize(count);
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  std::uint64_t before = 0, low = 0, high = 0;
  LowBitsPredictor follower;
  for (std::uint64_t& word : words) {
    if (end - at >= 2 * kLongest) {
      if (!get_quickly(at, low) || !get_quickly(at, high)) return false;
    } else if (!get(at, end, low) || !get(at, end, high)) {
      return false;
    }
    if (expects) {
      low = low == 0 ? follower.expected() : low - 1;
      follower.see(low);
    }
    if (low > 0xffff) return false;
    before = (((before >> 16) + unzigzag(high)) << 16) | low;
    word = before;
  }
  return at == end;
}

}  // namespace Atoll::recording
