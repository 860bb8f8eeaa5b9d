// The computing model: row operations compared with single bits, arithmetic on allocated operands
// compared with the host's, refused operands, and the cost in row operations.
#include "atoll/pim/model.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "atoll/base/error.hpp"

namespace Atoll::pim {
namespace {

using Values = std::vector<std::uint64_t>;

constexpr Geometry kSmall{1024, 150, 3, 2};  // a row ends within a word
constexpr Orientation kBoth[] = {Orientation::horizontal, Orientation::vertical};

std::uint64_t cut(std::uint64_t value, std::uint32_t bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

/// Returns random values, some of which give long carry chains.
Values draw(std::mt19937_64& random, std::uint64_t count, std::uint32_t bits) {
  Values values(count);
  for (std::uint64_t& value : values) {
    const std::uint64_t kind = random() % 8;
    value = cut(kind == 0   ? 0
                : kind == 1 ? ~std::uint64_t{0}
                : kind == 2 ? std::uint64_t{1} << (bits - 1)
                : kind == 3 ? 1
                            : random(),
                bits);
  }
  return values;
}

/// Returns one row of one subarray as a vector of 1-bit elements.
Operand row(std::uint32_t index, std::uint32_t subarray = 0, std::uint32_t subarrays = 1) {
  return {{0, {subarray, index}, {subarrays, 1}}, Orientation::vertical, 1};
}

TEST(PimModel, EveryRowOperation) {
  Model model(kSmall);
  std::mt19937_64 random(1);
  const std::function<std::uint64_t(bool, bool)> functions[] = {
      [](bool a, bool) { return a; },        [](bool a, bool) { return !a; },
      [](bool a, bool b) { return a && b; }, [](bool a, bool b) { return !(a && b); },
      [](bool a, bool b) { return a || b; }, [](bool a, bool b) { return !(a || b); },
      [](bool a, bool b) { return a != b; }, [](bool a, bool b) { return a == b; }};
  const Stripe stripe{0, 1, 2};
  std::uint64_t done = 0;
  for (int f = 0; f < 8; ++f)
    for (const int masked : {0, 1, 2}) {
      Values bits[4];
      for (std::uint32_t i = 0; i < 4; ++i)
        model.write(row(i, 1, 2), bits[i] = draw(random, 300, 1));
      std::optional<LineMask> mask;
      if (masked != 0) mask = LineMask{Line::row(3), masked == 1};
      model.apply(stripe, Logic{static_cast<std::uint8_t>(f)}, Line::row(2), Line::row(0),
                  Line::row(1), mask);
      ++done;
      Values should = bits[2];
      for (std::size_t c = 0; c < 300; ++c)
        if (masked == 0 || (bits[3][c] == 1) == (masked == 1))
          should[c] = functions[f](bits[0][c] != 0, bits[1][c] != 0);
      EXPECT_EQ(model.read(row(2, 1, 2)), should) << f << " masked " << masked;
      EXPECT_EQ(model.read(row(2, 0)), Values(150)) << "another subarray";
    }
  EXPECT_EQ(model.row_operations().logic, done);
  EXPECT_EQ(model.row_operations().shifts, 0U);
}

TEST(PimModel, ShiftsAlongARowStayInTheirSubarray) {
  Model model(kSmall);
  std::mt19937_64 random(2);
  std::uint64_t steps = 0;
  for (const int by : {0, 1, -1, 5, 63, 64, -64, 65, -70, 149, -149, 150, 1000, -1000})
    for (const bool masked : {false, true}) {
      const Values from = draw(random, 300, 1), to = draw(random, 300, 1),
                   where = draw(random, 300, 1);
      model.write(row(4, 0, 2), from);
      model.write(row(5, 0, 2), to);
      model.write(row(6, 0, 2), where);
      model.shift_columns({0, 0, 2}, Line::row(5), Line::row(4), by,
                          masked ? std::optional<LineMask>({Line::row(6), false}) : std::nullopt);
      steps += static_cast<std::uint64_t>(std::abs(by));
      Values should = to;
      for (int s = 0; s < 2; ++s)
        for (int c = 0; c < 150; ++c)
          if (!masked || where[s * 150 + c] == 0)
            should[s * 150 + c] = c - by >= 0 && c - by < 150 ? from[s * 150 + c - by] : 0;
      EXPECT_EQ(model.read(row(5, 0, 2)), should) << "by " << by;
    }
  EXPECT_EQ(model.row_operations().shifts, steps) << "a sense amplifier reaches its neighbour only";
  model.set_pattern({0, 0, 1}, Line::row(7), 4, 1, 3);
  const Values pattern = model.read(row(7));
  for (std::size_t c = 0; c < 150; ++c) EXPECT_EQ(pattern[c], c % 4 == 1 || c % 4 == 2);
}

TEST(PimModel, ElementsLieAlongTheirAxis) {
  Model model({8, 6, 2, 1});
  // Vertical elements of 4 bits in two layers. Bit k of element 13 (layer 1, subarray 0, column 1)
  // is in row 4 + k.
  model.write({{0, {0, 0}, {2, 8}}, Orientation::vertical, 4},
              Values{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0b1010});
  for (const std::uint32_t k : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U})
    EXPECT_EQ(model.read(row(k)), (Values{0, k == 5 || k == 7, 0, 0, 0, 0}));
  // Horizontal elements of 3 bits, 2 per subarray. Element 6 is in row 1, subarray 1.
  Model other({8, 7, 2, 1});
  other.write({{0, {0, 0}, {2, 2}}, Orientation::horizontal, 3},
              Values{0, 0, 0, 0, 0, 0, 0, 0b110});
  EXPECT_EQ(other.read(row(1, 1)), (Values{0, 0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(other.read(row(1, 0)), Values(7));
  EXPECT_EQ(other.size({{0, {0, 0}, {2, 2}}, Orientation::horizontal, 3}), 8U);
}

/// Operands of one operation, in a device that also has other blocks.
struct Operands {
  Operands(Orientation orientation, std::uint32_t width, std::uint64_t seed)
      : bits(width), random(seed) {
    const bool vertical = orientation == Orientation::vertical;
    const std::uint64_t bytes = std::uint64_t{width} * 200 / 8;  // gives two layers, or a few rows
    Request request =
        vertical ? Request::vertical(bytes, width) : Request::horizontal(bytes, width);
    Request mask = vertical ? Request::vertical(200 / 8, 1) : request;
    if (width % 2 != 0) {  // explicit extents of two subarrays
      request = Request::raw(2, vertical ? 2 * width : 5);
      mask = vertical ? Request::raw(2, 2) : request;
    }
    for (int i = 0; i < 5; ++i) {
      const auto some = static_cast<std::uint32_t>(random() % 20);
      others.push_back(device.allocate(Request::raw(1 + some % 3, 1 + some)));
    }
    blocks = device.try_allocate_together(std::vector{request, request, request, mask});
    if (blocks.empty()) throw std::logic_error("the device is too small");
    for (const Block& block : blocks)
      operands.push_back(width % 2 == 0 ? operand_of(block, bits)
                                        : Operand{block.where(), orientation, bits});
    if (vertical) operands[3].bits = 1;
    for (int i = 0; i < 3; ++i) {
      values.push_back(draw(random, model.size(operands[i]), bits));
      model.write(operands[i], values[i]);
    }
    for (std::size_t i = 0; i < values[0].size(); ++i) selected.push_back(random() % 2);
    Values mask_values = selected;
    if (orientation == Orientation::horizontal)
      for (std::uint64_t& value : mask_values) value = cut(0 - value, bits);
    model.write(operands[3], mask_values);
  }
  /// Returns the expected result. `masked` selects all elements (0), the masked ones (1) or the
  /// others.
  template <class F>
  Values should(F f, int masked) const {
    Values result = values[0];
    for (std::size_t i = 0; i < result.size(); ++i)
      if (masked == 0 || (selected[i] == 1) == (masked == 1))
        result[i] = cut(f(values[1][i], values[2][i]), bits);
    return result;
  }
  std::optional<Mask> mask(int masked) const {
    if (masked == 0) return {};
    return Mask{operands[3], masked == 1};
  }

  std::uint32_t bits;
  std::mt19937_64 random;
  Device device{kSmall};
  Model model{kSmall};
  std::vector<Block> others, blocks;
  std::vector<Operand> operands;  // result, a, b, mask
  std::vector<Values> values;
  Values selected;
};

TEST(PimModel, ArithmeticEqualsTheHosts) {
  for (const Orientation orientation : kBoth)
    for (const std::uint32_t bits : {1U, 2U, 3U, 8U, 12U, 16U, 31U, 32U, 64U})
      for (const int masked : {0, 1, 2}) {
        Operands o(orientation, bits, bits);
        const auto &to = o.operands[0], &a = o.operands[1], &b = o.operands[2];
        const std::string what = fmt::format("{} bits, masked {}", bits, masked);
        const auto check = [&](const char* name, const Values& should) {
          EXPECT_EQ(o.model.read(to), should) << name << ", " << what;
          EXPECT_EQ(o.model.read(a), o.values[1]) << name << ", " << what;
          EXPECT_EQ(o.model.read(b), o.values[2]) << name << ", " << what;
          o.model.write(to, o.values[0]);
        };
        o.model.add(to, a, b, o.mask(masked));
        check("add", o.should([](auto x, auto y) { return x + y; }, masked));
        o.model.multiply(to, a, b, o.mask(masked));
        check("multiply", o.should([](auto x, auto y) { return x * y; }, masked));
        o.model.logic(Logic::xnor_, to, a, b, o.mask(masked));
        check("xnor", o.should([](auto x, auto y) { return ~(x ^ y); }, masked));
        for (const int by : {0, 1, -1, 3, -5, 40, -64, 1000}) {
          o.model.shift(to, a, by, o.mask(masked));
          const auto shifted = [&](std::uint64_t x, std::uint64_t) -> std::uint64_t {
            return std::abs(by) >= 64 ? 0 : by > 0 ? x << by : x >> -by;
          };
          check("shift", o.should(shifted, masked));
        }
      }
}

TEST(PimModel, AResultMayReplaceAnOperand) {
  for (const Orientation orientation : kBoth) {
    Operands o(orientation, 16, 3);
    o.model.add(o.operands[1], o.operands[1], o.operands[1]);
    for (std::uint64_t& v : o.values[1]) v = cut(2 * v, 16);
    EXPECT_EQ(o.model.read(o.operands[1]), o.values[1]);
    o.model.add(o.operands[2], o.operands[1], o.operands[2]);
    const Values sum = o.should([](auto x, auto y) { return x + y; }, 0);
    EXPECT_EQ(o.model.read(o.operands[2]), sum);
    o.model.axpy(o.operands[2], 3, o.operands[1], o.operands[2]);
    EXPECT_EQ(o.model.read(o.operands[2]), o.should([](auto x, auto y) { return 4 * x + y; }, 0));
    for (const int by : {2, -3}) {
      o.model.shift(o.operands[1], o.operands[1], by);
      for (std::uint64_t& v : o.values[1]) v = by > 0 ? cut(v << by, 16) : v >> -by;
      EXPECT_EQ(o.model.read(o.operands[1]), o.values[1]);
    }
  }
}

TEST(PimModel, AxpyOfEveryWidthEqualsTheHosts) {
  for (const Orientation orientation : kBoth)
    for (std::uint32_t bits = 8; bits <= 64;
         bits += orientation == Orientation::vertical ? 1 : bits) {
      Operands o(orientation, bits, 100 + bits);
      for (const std::uint64_t alpha :
           {o.random(), std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        for (const int masked : {0, 2}) {
          o.model.write(o.operands[0], o.values[0]);
          o.model.axpy(o.operands[0], alpha, o.operands[1], o.operands[2], o.mask(masked));
          ASSERT_EQ(o.model.read(o.operands[0]),
                    o.should([&](auto x, auto y) { return alpha * x + y; }, masked))
              << bits << " bits, alpha " << alpha;
        }
      }
    }
}

TEST(PimModel, WhatDoesNotLineUpIsRefused) {
  Model model(kSmall);
  const auto at = [](std::uint32_t bank, Place first, Extent extent, std::uint32_t bits = 8,
                     Orientation orientation = Orientation::vertical) {
    return Operand{{bank, first, extent}, orientation, bits};
  };
  const Operand r = at(0, {0, 0}, {2, 16}), x = at(0, {0, 16}, {2, 16}),
                y = at(0, {0, 32}, {2, 16});
  Values ones(model.size(x), 1);
  model.write(x, ones);
  for (const Operand& wrong :
       {at(1, {0, 16}, {2, 16}), at(0, {1, 16}, {2, 16}), at(0, {0, 16}, {1, 16}),
        at(0, {0, 16}, {2, 8}), at(0, {0, 16}, {2, 16}, 16), at(0, {0, 16}, {2, 16}, 0),
        at(0, {0, 16}, {2, 16}, 8, Orientation::horizontal),
        at(0, {0, 16}, {2, 16}, 8, Orientation::raw), at(0, {0, 16}, {2, 15}),
        at(0, {0, 8}, {2, 16}), at(2, {0, 16}, {2, 16}), at(0, {0, 1010}, {2, 16}),
        at(0, {2, 16}, {2, 16}), at(0, {0, UINT32_MAX}, {2, 16}), at(0, {0, 16}, {2, 0})}) {
    EXPECT_THROW(model.add(r, wrong, y), Error);
    EXPECT_THROW(model.add(r, y, wrong), Error);
    EXPECT_THROW(model.multiply(r, x, wrong), Error);
    EXPECT_THROW(model.axpy(r, 3, wrong, y), Error);
    EXPECT_THROW(model.logic(Logic::or_, r, wrong, y), Error);
    EXPECT_THROW(model.shift(r, wrong, 1), Error);
    EXPECT_THROW(model.add(r, x, y, Mask{wrong}), Error);
  }
  EXPECT_THROW(model.axpy(r, 3, r, y), Error);
  EXPECT_THROW(model.multiply(r, x, r), Error);
  EXPECT_THROW(model.multiply(r, r, x), Error);
  EXPECT_THROW(model.add(r, x, y, Mask{at(0, {0, 3}, {2, 2}, 1)}), Error);  // overlaps the result
  EXPECT_THROW(model.apply({2, 0, 1}, Logic::or_, Line::row(0), Line::row(0), Line::row(0)), Error);
  EXPECT_THROW(model.apply({0, 2, 2}, Logic::or_, Line::row(0), Line::row(0), Line::row(0)), Error);
  EXPECT_THROW(model.apply({0, 0, 1}, Logic::or_, Line::row(1024), Line::row(0), Line::row(0)),
               Error);
  EXPECT_THROW(model.shift_columns({0, 0, 1}, Line::latch(8), Line::row(0), 1), Error);
  EXPECT_THROW(model.set_pattern({0, 0, 1}, Line::row(0), 0, 0, 1), Error);
  EXPECT_THROW(model.write(at(0, {0, 0}, {1, 8}), Values(151)), Error);
  EXPECT_THROW(static_cast<void>(model.read(at(0, {0, 0}, {1, 65}, 65))), Error);
  EXPECT_THROW(Model({1, 0, 1, 1}), Error);
  EXPECT_EQ(model.row_operations().total(), 0U);
  EXPECT_EQ(model.read(r), Values(model.size(r)));
  EXPECT_EQ(model.read(x), ones);
  try {
    model.axpy(r, 3, x, at(0, {1, 32}, {2, 16}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::input);
    EXPECT_STREQ(error.what(),
                 "pim::axpy: operands don't line up: the result is vertical x 8 bits in bank 0, "
                 "subarrays 0-1, rows 0-15, y is vertical x 8 bits in bank 0, subarrays 1-2, rows "
                 "32-47; allocate them together (Device::try_allocate_together)");
  }
}

/// Returns the table of row operations for 1024 elements of each width, in blocks of one subarray
/// with 1024 columns.
std::string table() {
  std::string text =
      "| bits | add, vertical | horizontal | multiply, vertical | horizontal | axpy, vertical | "
      "horizontal |\n|-----:|----:|----:|----:|----:|----:|----:|\n";
  for (const std::uint32_t bits : {8U, 16U, 32U, 64U}) {
    std::string line = fmt::format("| {} |", bits);
    for (const int operation : {0, 1, 2})
      for (const Orientation orientation : {Orientation::vertical, Orientation::horizontal}) {
        Model model({256, 1024, 1, 1});
        const auto at = [&](std::uint32_t i) {
          return Operand{{0, {0, i * bits}, {1, bits}}, orientation, bits};
        };
        EXPECT_EQ(model.size(at(0)), 1024U);
        if (operation == 0) model.add(at(0), at(1), at(2));
        if (operation == 1) model.multiply(at(0), at(1), at(2));
        if (operation == 2) model.axpy(at(0), 0x5555555555555555, at(1), at(2));
        line += fmt::format(" {} |", model.row_operations().total());
      }
    text += line + "\n";
  }
  return text;
}

TEST(PimModel, VerticalNeedsFewerRowOperations) {
  // A full adder takes 5 row operations per bit; one more clears the carry.
  Model model({256, 1024, 1, 1});
  const auto at = [](std::uint32_t row) {
    return Operand{{0, {0, row}, {1, 8}}, Orientation::vertical, 8};
  };
  model.add(at(0), at(8), at(16));
  EXPECT_EQ(model.row_operations().total(), 5U * 8 + 1);
  std::ifstream file(ATOLL_SOURCE_DIR "/docs/pim.md");
  std::ostringstream document;
  document << file.rdbuf();
  EXPECT_THAT(document.str(), testing::HasSubstr(table())) << "docs/pim.md has this table";
}

}  // namespace
}  // namespace Atoll::pim
