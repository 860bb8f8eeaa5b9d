// Rounds bytes to rows and subarrays, for both allocators and the C calls.
#include "atoll/pim/shape.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/error.hpp"

namespace Atoll::pim {
namespace {

// No overflow below: extent_of() rejects bytes beyond a bank first, and check() limits a device to
// 2^31 units, i.e. to 2^63 bits.
[[nodiscard]] std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

[[noreturn]] void too_large(const Geometry& g, Request request) {
  throw Error::input(
      "pim::allocate",
      fmt::format("{} bytes don't fit a bank of {} subarrays with {} rows of {} bits",
                  request.bytes(), g.subarrays, g.rows, g.columns),
      "a block never crosses a bank: ask for several blocks");
}

[[nodiscard]] Extent horizontal(const Geometry& g, Request request) {
  const std::uint64_t w = request.element_bits() == 0 ? 8 : request.element_bits();
  if (w > g.columns)
    throw Error::input(
        "pim::allocate",
        fmt::format("an element of {} bits is longer than a row of {} columns", w, g.columns),
        "ask for it vertically");
  const std::uint64_t elements = divide_up(request.bytes() * 8, w);
  const std::uint64_t units = divide_up(elements, g.columns / w);
  const std::uint64_t rows = divide_up(units, g.subarrays);
  if (rows > g.rows) too_large(g, request);
  return {static_cast<std::uint32_t>(divide_up(units, rows)), static_cast<std::uint32_t>(rows)};
}

[[nodiscard]] Extent vertical(const Geometry& g, Request request) {
  const std::uint64_t bits = request.bytes() * 8;
  const std::uint64_t w =
      request.element_bits() == 0 ? std::min<std::uint64_t>(bits, g.rows) : request.element_bits();
  if (w > g.rows)
    throw Error::input(
        "pim::allocate",
        fmt::format("an element of {} bits is longer than a column of {} rows", w, g.rows),
        "ask for it horizontally");
  const std::uint64_t elements = divide_up(bits, w);
  const std::uint64_t layers_at_most = request.element_bits() == 0 ? 1 : g.rows / w;
  const std::uint64_t subarrays = divide_up(elements, layers_at_most * g.columns);
  if (subarrays > g.subarrays) too_large(g, request);
  const std::uint64_t layers = divide_up(elements, subarrays * g.columns);
  return {static_cast<std::uint32_t>(subarrays), static_cast<std::uint32_t>(layers * w)};
}

}  // namespace

void check(const Geometry& g) {
  const auto refuse = [&](const char* what) {
    throw Error::input("pim::Device",
                       fmt::format("{} rows x {} columns x {} subarrays x {} banks: {}", g.rows,
                                   g.columns, g.subarrays, g.banks, what),
                       "each must be at least 1, with at most 2^31 rows of subarrays in all");
  };
  if (g.rows == 0 || g.columns == 0 || g.subarrays == 0 || g.banks == 0) refuse("nothing in it");
  constexpr std::uint64_t kMaxUnits = std::uint64_t{1} << 31;
  if (g.units_per_bank() > kMaxUnits || g.units() > kMaxUnits) refuse("too large");
}

Extent extent_of(const Geometry& g, Request request) {
  if (request.orientation() == Orientation::raw) {
    const auto [subarrays, rows] = request.extent();
    if (subarrays == 0 || rows == 0 || subarrays > g.subarrays || rows > g.rows)
      throw Error::input("pim::allocate",
                         fmt::format("{} subarrays x {} rows in a bank of {} x {}", subarrays, rows,
                                     g.subarrays, g.rows),
                         "ask for at least one of each and at most the bank's");
    return request.extent();
  }
  if (request.bytes() == 0)
    throw Error::input("pim::allocate", "no bytes",
                       "an empty block has no place; ask for at least one");
  if (request.bytes() > g.units_per_bank() * g.columns / 8) too_large(g, request);
  return request.orientation() == Orientation::horizontal ? horizontal(g, request)
                                                          : vertical(g, request);
}

std::string to_string(const Rectangle& r) {
  const auto span = [](std::uint64_t first, std::uint32_t count) {
    return count == 1 ? fmt::format(" {}", first)
                      : fmt::format("s {}-{}", first, first + count - 1);
  };
  return fmt::format("bank {}, subarray{}, row{}", r.bank,
                     span(r.first.subarray, r.extent.subarrays), span(r.first.row, r.extent.rows));
}

}  // namespace Atoll::pim
