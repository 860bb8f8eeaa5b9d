// Arithmetic on row operations. Vertical elements are computed bit by bit, with all columns at
// once; horizontal ones row by row, with carries that move along the row.
#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "atoll/pim/model.hpp"

namespace Atoll::pim {
namespace {

constexpr Line kCarry = Line::latch(0), kSum = Line::latch(1), kBoth = Line::latch(2),
               kProduct = Line::latch(3);  // vertical
constexpr Line kTotal = Line::latch(0), kFactor = Line::latch(1), kSpread = Line::latch(2),
               kGenerate = Line::latch(3), kPropagate = Line::latch(4), kHalf = Line::latch(5),
               kMoved = Line::latch(6), kEdge = Line::latch(7);  // horizontal

[[nodiscard]] Stripe stripe_of(const Rectangle& r) {
  return {r.bank, r.first.subarray, r.extent.subarrays};
}

/// Number of sequential steps: layers of vertical elements, or rows of horizontal ones.
[[nodiscard]] std::uint32_t steps_of(const Operand& o) {
  return o.orientation == Orientation::vertical ? o.where.extent.rows / o.bits
                                                : o.where.extent.rows;
}
/// First row of a step.
[[nodiscard]] std::uint32_t row_of(const Operand& o, std::uint32_t step) {
  return o.where.first.row + (o.orientation == Orientation::vertical ? step * o.bits : step);
}
[[nodiscard]] std::optional<LineMask> mask_of(const std::optional<Mask>& mask, std::uint32_t step) {
  if (!mask) return {};
  return LineMask{Line::row(row_of(mask->elements, step)), mask->when};
}

[[nodiscard]] bool overlap(const Rectangle& a, const Rectangle& b) {
  const auto meet = [](std::uint32_t x, std::uint32_t m, std::uint32_t y, std::uint32_t n) {
    return x < y + n && y < x + m;
  };
  return a.bank == b.bank &&
         meet(a.first.subarray, a.extent.subarrays, b.first.subarray, b.extent.subarrays) &&
         meet(a.first.row, a.extent.rows, b.first.row, b.extent.rows);
}

[[nodiscard]] std::string text(const Operand& o) {
  return fmt::format("{} x {} bits in {}",
                     o.orientation == Orientation::vertical ? "vertical" : "horizontal", o.bits,
                     to_string(o.where));
}

void other_than(const char* what, const Operand& to, const char* name, const Operand& operand) {
  if (to.where == operand.where)
    throw Error::input(what, fmt::format("the result is {} itself ({})", name, to_string(to.where)),
                       "allocate a block for the result");
}

}  // namespace

void Model::line_up(const char* what, const Operand& to, std::initializer_list<Named> operands,
                    const std::optional<Mask>& mask) const {
  check(what, {"the result", to});
  const auto same_stripe = [&](const Operand& o) {
    return o.orientation == to.orientation && o.where.bank == to.where.bank &&
           o.where.first.subarray == to.where.first.subarray &&
           o.where.extent.subarrays == to.where.extent.subarrays && steps_of(o) == steps_of(to);
  };
  const auto refuse = [&](const Named& named) {
    throw Error::input(what,
                       fmt::format("operands don't line up: the result is {}, {} is {}", text(to),
                                   named.name, text(named.operand)),
                       "allocate them together (Device::try_allocate_together)");
  };
  for (const Named& named : operands) {
    check(what, named);
    if (!same_stripe(named.operand) || named.operand.bits != to.bits) refuse(named);
    if (overlap(named.operand.where, to.where) && !(named.operand.where == to.where))
      throw Error::input(
          what, fmt::format("the result ({}) covers a part of {} ({})", to_string(to.where),
                            named.name, to_string(named.operand.where)));
  }
  if (!mask) return;
  const Named named{"the mask", mask->elements};
  check(what, named);
  const std::uint32_t bits = to.orientation == Orientation::vertical ? 1 : to.bits;
  if (!same_stripe(mask->elements) || mask->elements.bits != bits) refuse(named);
  if (overlap(mask->elements.where, to.where))
    throw Error::input(what, "the result covers its own mask (" + to_string(to.where) + ")");
}

void Model::logic(Logic f, const Operand& to, const Operand& a, const Operand& b,
                  std::optional<Mask> mask) {
  line_up("pim::logic", to, {{"a", a}, {"b", b}}, mask);
  const Stripe stripe = stripe_of(to.where);
  const std::uint32_t rows = to.where.extent.rows / steps_of(to);
  for (std::uint32_t i = 0; i < steps_of(to); ++i)
    for (std::uint32_t k = 0; k < rows; ++k)
      combine(stripe, f, Line::row(row_of(to, i) + k), Line::row(row_of(a, i) + k),
              Line::row(row_of(b, i) + k), mask_of(mask, i));
}

void Model::shift(const Operand& to, const Operand& a, int by, std::optional<Mask> mask) {
  line_up("pim::shift", to, {{"a", a}}, mask);
  const Stripe stripe = stripe_of(to.where);
  const auto bits = static_cast<std::int64_t>(to.bits);
  const std::int64_t up = std::clamp<std::int64_t>(by, -bits, bits);
  for (std::uint32_t i = 0; i < steps_of(to); ++i) {
    const LineMasks where = mask_of(mask, i);
    if (to.orientation == Orientation::horizontal) {
      move(stripe, kMoved, Line::row(row_of(a, i)), static_cast<int>(up));
      pattern(stripe, kEdge, to.bits, static_cast<std::uint32_t>(std::max<std::int64_t>(up, 0)),
              static_cast<std::uint32_t>(std::min(bits + up, bits)));
      combine(stripe, Logic::and_, Line::row(row_of(to, i)), kMoved, kEdge, where);
      continue;
    }
    combine(stripe, Logic::xor_, kSum, kSum, kSum);  // zeros
    for (std::int64_t n = 0; n < bits; ++n) {        // each row is read before it is written
      const std::int64_t k = up > 0 ? bits - 1 - n : n, source = k - up;
      const Line from = source < 0 || source >= bits
                            ? kSum
                            : Line::row(row_of(a, i) + static_cast<std::uint32_t>(source));
      combine(stripe, Logic::copy_a, Line::row(row_of(to, i) + static_cast<std::uint32_t>(k)), from,
              from, where);
    }
  }
}

/// Computes to = a + b, or a + b * times (one bit per column), on rows, from bit 0 up.
void Model::add_layer(Stripe stripe, std::uint32_t to, std::uint32_t a, std::uint32_t b,
                      std::uint32_t bits, std::optional<Line> times, LineMasks mask) {
  combine(stripe, Logic::xor_, kCarry, kCarry, kCarry);
  for (std::uint32_t k = 0; k < bits; ++k) {
    const Line left = Line::row(a + k);
    Line right = Line::row(b + k);
    if (times) {
      combine(stripe, Logic::and_, kProduct, right, *times);
      right = kProduct;
    }
    combine(stripe, Logic::xor_, kSum, left, right);
    combine(stripe, Logic::and_, kBoth, left, right);
    combine(stripe, Logic::xor_, Line::row(to + k), kSum, kCarry, mask);
    combine(stripe, Logic::and_, kSum, kSum, kCarry);
    combine(stripe, Logic::or_, kCarry, kSum, kBoth);
  }
}

/// Computes to = a + b on lines. The carries of all elements are found by parallel prefix: a span
/// of columns generates a carry or propagates one, and the spans double.
void Model::add_row(Stripe stripe, Line to, Line a, Line b, std::uint32_t bits, LineMasks mask) {
  combine(stripe, Logic::xor_, kHalf, a, b);
  combine(stripe, Logic::and_, kGenerate, a, b);
  Line propagate = kHalf;
  for (std::uint32_t span = 1; span < bits; span *= 2) {
    pattern(stripe, kEdge, bits, span, bits);  // blocks carries from the element below
    move(stripe, kMoved, kGenerate, static_cast<int>(span));
    combine(stripe, Logic::and_, kMoved, kMoved, kEdge);
    combine(stripe, Logic::and_, kMoved, kMoved, propagate);
    combine(stripe, Logic::or_, kGenerate, kGenerate, kMoved);
    move(stripe, kMoved, propagate, static_cast<int>(span));
    combine(stripe, Logic::and_, kMoved, kMoved, kEdge);
    combine(stripe, Logic::and_, kPropagate, propagate, kMoved);
    propagate = kPropagate;
  }
  pattern(stripe, kEdge, bits, 1, bits);
  move(stripe, kMoved, kGenerate, 1);
  combine(stripe, Logic::and_, kMoved, kMoved, kEdge);
  combine(stripe, Logic::xor_, to, kHalf, kMoved, mask);
}

/// Multiplies the latched factor of every element by 2.
void Model::double_factor(Stripe stripe, std::uint32_t bits) {
  pattern(stripe, kEdge, bits, 1, bits);
  move(stripe, kFactor, kFactor, 1);
  combine(stripe, Logic::and_, kFactor, kFactor, kEdge);
}

void Model::add(const Operand& to, const Operand& a, const Operand& b, std::optional<Mask> mask) {
  line_up("pim::add", to, {{"a", a}, {"b", b}}, mask);
  const Stripe stripe = stripe_of(to.where);
  for (std::uint32_t i = 0; i < steps_of(to); ++i)
    if (to.orientation == Orientation::vertical)
      add_layer(stripe, row_of(to, i), row_of(a, i), row_of(b, i), to.bits, {}, mask_of(mask, i));
    else
      add_row(stripe, Line::row(row_of(to, i)), Line::row(row_of(a, i)), Line::row(row_of(b, i)),
              to.bits, mask_of(mask, i));
}

void Model::multiply(const Operand& to, const Operand& a, const Operand& b,
                     std::optional<Mask> mask) {
  line_up("pim::multiply", to, {{"a", a}, {"b", b}}, mask);
  other_than("pim::multiply", to, "a", a);
  other_than("pim::multiply", to, "b", b);
  const Stripe stripe = stripe_of(to.where);
  const std::uint32_t bits = to.bits;
  for (std::uint32_t i = 0; i < steps_of(to); ++i) {
    const LineMasks where = mask_of(mask, i);
    const std::uint32_t result = row_of(to, i), left = row_of(a, i), right = row_of(b, i);
    if (to.orientation == Orientation::vertical) {
      combine(stripe, Logic::xor_, kSum, kSum, kSum);
      for (std::uint32_t k = 0; k < bits; ++k)
        combine(stripe, Logic::copy_a, Line::row(result + k), kSum, kSum, where);
      for (std::uint32_t k = 0; k < bits; ++k)
        add_layer(stripe, result + k, result + k, left, bits - k, Line::row(right + k), where);
      continue;
    }
    combine(stripe, Logic::xor_, kTotal, kTotal, kTotal);
    combine(stripe, Logic::copy_a, kFactor, Line::row(left), Line::row(left));
    for (std::uint32_t k = 0; k < bits; ++k) {
      if (k != 0) double_factor(stripe, bits);
      pattern(stripe, kEdge, bits, k, k + 1);  // bit k of b, spread over its element
      combine(stripe, Logic::and_, kSpread, Line::row(right), kEdge);
      move(stripe, kSpread, kSpread, -static_cast<int>(k));
      for (std::uint32_t have = 1; have < bits;) {
        const std::uint32_t more = std::min(have, bits - have);
        move(stripe, kMoved, kSpread, static_cast<int>(more));
        combine(stripe, Logic::or_, kSpread, kSpread, kMoved);
        have += more;
      }
      combine(stripe, Logic::and_, kSpread, kSpread, kFactor);
      add_row(stripe, kTotal, kTotal, kSpread, bits);
    }
    combine(stripe, Logic::copy_a, Line::row(result), kTotal, kTotal, where);
  }
}

void Model::axpy(const Operand& to, std::uint64_t alpha, const Operand& x, const Operand& y,
                 std::optional<Mask> mask) {
  line_up("pim::axpy", to, {{"x", x}, {"y", y}}, mask);
  other_than("pim::axpy", to, "x", x);
  const Stripe stripe = stripe_of(to.where);
  const std::uint32_t bits = to.bits;
  if (bits < 64) alpha &= (std::uint64_t{1} << bits) - 1;
  for (std::uint32_t i = 0; i < steps_of(to); ++i) {
    const LineMasks where = mask_of(mask, i);
    const std::uint32_t result = row_of(to, i);
    if (to.orientation == Orientation::vertical) {
      for (std::uint32_t k = 0; k < bits && !(to.where == y.where); ++k)
        combine(stripe, Logic::copy_a, Line::row(result + k), Line::row(row_of(y, i) + k),
                Line::row(row_of(y, i) + k), where);
      for (std::uint32_t k = 0; k < 64 && alpha >> k != 0; ++k)
        if ((alpha >> k & 1) != 0)
          add_layer(stripe, result + k, result + k, row_of(x, i), bits - k, {}, where);
      continue;
    }
    combine(stripe, Logic::copy_a, kTotal, Line::row(row_of(y, i)), Line::row(row_of(y, i)));
    combine(stripe, Logic::copy_a, kFactor, Line::row(row_of(x, i)), Line::row(row_of(x, i)));
    for (std::uint32_t k = 0; k < 64 && alpha >> k != 0; ++k) {
      if (k != 0) double_factor(stripe, bits);
      if ((alpha >> k & 1) != 0) add_row(stripe, kTotal, kTotal, kFactor, bits);
    }
    combine(stripe, Logic::copy_a, Line::row(result), kTotal, kTotal, where);
  }
}

}  // namespace Atoll::pim
