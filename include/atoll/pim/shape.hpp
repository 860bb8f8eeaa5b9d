// Geometry, requests, extents and rectangles of a device in units of one row of one subarray, and
// the rounding from bytes to units. Values and pure functions.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace Atoll::pim {

/// A device: `banks` banks of `subarrays` subarrays, each with `rows` rows of `columns` bits. One
/// row of one subarray is the unit of allocation [imi §4.2].
struct Geometry {
  std::uint32_t rows = 0;       ///< per subarray
  std::uint32_t columns = 0;    ///< bits in a row of one subarray
  std::uint32_t subarrays = 0;  ///< per bank
  std::uint32_t banks = 0;

  [[nodiscard]] std::uint64_t units_per_bank() const { return std::uint64_t{rows} * subarrays; }
  [[nodiscard]] std::uint64_t units() const { return units_per_bank() * banks; }
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

/// Throws Error (input) if a dimension is 0 or if there are more than 2^31 units in total.
void check(const Geometry& geometry);

enum class Orientation : std::uint8_t {
  horizontal,  ///< an element's bits are in one row
  vertical,    ///< an element's bits are in one column
  raw,         ///< requested in rows and subarrays; the caller decides on the contents
};

/// The size of a rectangle, in units.
struct alignas(8) Extent {
  std::uint32_t subarrays = 0;
  std::uint32_t rows = 0;
  [[nodiscard]] std::uint64_t units() const { return std::uint64_t{subarrays} * rows; }
  friend bool operator==(Extent a, Extent b) {  // one comparison instead of two
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }
};

/// Position of a unit in a bank.
struct alignas(8) Place {
  std::uint32_t subarray = 0;
  std::uint32_t row = 0;
  friend bool operator==(Place a, Place b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }
};

/// Units of one bank: rows [first.row, first.row + extent.rows) of subarrays [first.subarray,
/// first.subarray + extent.subarrays).
struct Rectangle {
  std::uint32_t bank = 0;
  Place first;
  Extent extent;
  friend bool operator==(const Rectangle&, const Rectangle&) = default;
};

/// "bank 0, subarrays 2-5, rows 0-7"
[[nodiscard]] std::string to_string(const Rectangle& where);

/// An allocation request: a number of bytes along rows or down columns, or a number of subarrays
/// and rows.
class Request {
 public:
  /// `element_bits` = 0 means unknown (see extent_of).
  [[nodiscard]] static constexpr Request horizontal(std::uint64_t bytes,
                                                    std::uint32_t element_bits = 0) {
    return {bytes, element_bits, Orientation::horizontal};
  }
  [[nodiscard]] static constexpr Request vertical(std::uint64_t bytes,
                                                  std::uint32_t element_bits = 0) {
    return {bytes, element_bits, Orientation::vertical};
  }
  [[nodiscard]] static constexpr Request raw(std::uint32_t subarrays, std::uint32_t rows) {
    return {std::uint64_t{subarrays} << 32 | rows, 0, Orientation::raw};
  }

  [[nodiscard]] Orientation orientation() const { return orientation_; }
  [[nodiscard]] std::uint32_t element_bits() const { return element_bits_; }
  [[nodiscard]] std::uint64_t bytes() const { return orientation_ == Orientation::raw ? 0 : size_; }
  [[nodiscard]] Extent extent() const {  ///< of a raw request
    return {static_cast<std::uint32_t>(size_ >> 32), static_cast<std::uint32_t>(size_)};
  }
  friend bool operator==(const Request&, const Request&) = default;

 private:
  constexpr Request(std::uint64_t size, std::uint32_t element_bits, Orientation orientation)
      : size_(size), element_bits_(element_bits), orientation_(orientation) {}

  std::uint64_t size_;
  std::uint32_t element_bits_;
  Orientation orientation_;
};

/// Throws Error (input) for 0 bytes, for elements that don't fit a row or a column, or for more
/// than one bank.
[[nodiscard]] Extent extent_of(const Geometry& geometry, Request request);

}  // namespace Atoll::pim
