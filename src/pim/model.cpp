// Memory of the model, the host's access to elements, and single row operations.
#include "atoll/pim/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "atoll/base/error.hpp"

namespace Atoll::pim {
namespace {

[[nodiscard]] std::uint64_t value_of(Logic f, std::uint64_t a, std::uint64_t b) {
  switch (f) {
    case Logic::copy_a:
      return a;
    case Logic::not_a:
      return ~a;
    case Logic::and_:
      return a & b;
    case Logic::nand_:
      return ~(a & b);
    case Logic::or_:
      return a | b;
    case Logic::nor_:
      return ~(a | b);
    case Logic::xor_:
      return a ^ b;
    case Logic::xnor_:
      return ~(a ^ b);
  }
  return 0;
}

}  // namespace

Model::Model(const Geometry& g) : geometry_(g), line_words_((std::size_t{g.columns} + 63) / 64) {
  pim::check(g);
  subarrays_.resize(std::size_t{g.subarrays} * g.banks);
}

std::uint64_t Model::size(const Operand& operand) const {
  check("pim::size", {"the operand", operand});
  const auto [subarrays, rows] = operand.where.extent;
  return operand.orientation == Orientation::vertical
             ? std::uint64_t{rows / operand.bits} * subarrays * geometry_.columns
             : std::uint64_t{rows} * subarrays * (geometry_.columns / operand.bits);
}

void Model::write(const Operand& to, std::span<const std::uint64_t> values) {
  if (values.size() > size(to) || to.bits > 64)
    throw Error::input("pim::write",
                       fmt::format("{} values for {} elements of {} bits in {}", values.size(),
                                   size(to), to.bits, to_string(to.where)),
                       "give at most one of up to 64 bits for each");
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::uint32_t k = 0; k < to.bits; ++k) {
      const Bit bit = bit_of(to, i, k);
      std::uint64_t& word = words(bit.subarray, bit.line)[bit.column / 64];
      const std::uint64_t mask = std::uint64_t{1} << bit.column % 64;
      word = (values[i] >> k & 1) != 0 ? word | mask : word & ~mask;
    }
}

std::vector<std::uint64_t> Model::read(const Operand& from) const {
  std::vector<std::uint64_t> values(size(from));
  if (from.bits > 64)
    throw Error::input("pim::read", fmt::format("elements of {} bits", from.bits),
                       "read them as several operands of up to 64 bits");
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::uint32_t k = 0; k < from.bits; ++k) {
      const Bit bit = bit_of(from, i, k);
      const Words& all = subarrays_[bit.subarray];
      if (all.empty()) continue;
      const std::uint64_t word = all[bit.line.index * line_words_ + bit.column / 64];
      values[i] |= (word >> bit.column % 64 & 1) << k;
    }
  return values;
}

Model::Bit Model::bit_of(const Operand& operand, std::uint64_t element, std::uint32_t bit) const {
  const bool vertical = operand.orientation == Orientation::vertical;
  const std::uint64_t each = vertical ? geometry_.columns : geometry_.columns / operand.bits;
  const auto column = static_cast<std::uint32_t>(element % each);
  const std::uint64_t unit = element / each;
  const auto [subarray, row] = operand.where.first;
  const std::uint32_t across = operand.where.extent.subarrays;
  const auto down = static_cast<std::uint32_t>(unit / across);
  return {std::size_t{operand.where.bank} * geometry_.subarrays + subarray + unit % across,
          Line::row(row + (vertical ? down * operand.bits + bit : down)),
          vertical ? column : column * operand.bits + bit};
}

std::uint64_t* Model::words(std::size_t subarray, Line line) {
  Words& all = subarrays_[subarray];
  if (all.empty()) try {
      all.resize((std::size_t{geometry_.rows} + Line::kLatches) * line_words_);
    } catch (const std::exception&) {
      throw Error::failed("pim::Model", "no memory for the bits of another subarray",
                          "use a smaller device");
    }
  return all.data() +
         (line.is_latch ? geometry_.rows + std::size_t{line.index} : line.index) * line_words_;
}

void Model::check(const char* what, const Named& named) const {
  const auto& [bank, first, extent] = named.operand.where;
  const auto within = [](std::uint64_t from, std::uint64_t count, std::uint64_t all) {
    return count != 0 && from + count <= all;
  };
  const auto refuse = [&](const std::string& why, const char* way_out) {
    throw Error::input(
        what, fmt::format("{} ({}) {}", named.name, to_string(named.operand.where), why), way_out);
  };
  if (bank >= geometry_.banks || !within(first.subarray, extent.subarrays, geometry_.subarrays) ||
      !within(first.row, extent.rows, geometry_.rows))
    refuse("is not in the device", "");
  const std::uint32_t bits = named.operand.bits;
  if (named.operand.orientation == Orientation::raw)
    refuse("doesn't say which way its elements lie", "make it horizontal or vertical");
  if (named.operand.orientation == Orientation::vertical) {
    if (bits == 0 || extent.rows % bits != 0)
      refuse(fmt::format("isn't filled by elements of {} rows", bits),
             "allocate it with the elements' width");
  } else if (bits == 0 || bits > geometry_.columns) {
    refuse(fmt::format("has no room for elements of {} columns", bits),
           "an element lies in one row of one subarray");
  }
}

void Model::check(const char* what, Stripe stripe, std::initializer_list<Line> lines) const {
  const std::uint64_t last = std::uint64_t{stripe.subarray} + stripe.subarrays;
  if (stripe.bank >= geometry_.banks || stripe.subarrays == 0 || last > geometry_.subarrays)
    throw Error::input(
        what,
        fmt::format("bank {} has no subarrays {} to {}", stripe.bank, stripe.subarray, last - 1),
        "");
  for (const Line line : lines)
    if (line.index >= (line.is_latch ? Line::kLatches : geometry_.rows))
      throw Error::input(
          what, fmt::format("there is no {} {}", line.is_latch ? "latch" : "row", line.index));
}

/// Writes word(i, line) to each word i of a line; line(l) returns the words of line l of the same
/// subarray.
template <class Word>
void Model::each_word(Stripe stripe, Line to, LineMasks mask, Word word) {
  const std::uint64_t tail = geometry_.columns % 64 == 0
                                 ? ~std::uint64_t{0}
                                 : (std::uint64_t{1} << geometry_.columns % 64) - 1;
  for (std::uint32_t s = 0; s < stripe.subarrays; ++s) {
    const std::size_t subarray =
        std::size_t{stripe.bank} * geometry_.subarrays + stripe.subarray + s;
    const auto at = [&](Line line) { return words(subarray, line); };
    Words result(line_words_);
    for (std::size_t i = 0; i < line_words_; ++i) result[i] = word(i, at);
    result.back() &= tail;
    std::uint64_t* const target = at(to);
    if (mask) {
      const std::uint64_t* const where = at(mask->line);
      for (std::size_t i = 0; i < line_words_; ++i) {
        const std::uint64_t written = mask->when ? where[i] : ~where[i];
        result[i] = (result[i] & written) | (target[i] & ~written);
      }
      result.back() &= tail;
    }
    std::copy(result.begin(), result.end(), target);
  }
}

void Model::combine(Stripe stripe, Logic f, Line to, Line a, Line b, LineMasks mask) {
  each_word(stripe, to, mask,
            [&](std::size_t i, const auto& at) { return value_of(f, at(a)[i], at(b)[i]); });
  ++count_.logic;
}

void Model::move(Stripe stripe, Line to, Line from, int by, LineMasks mask) {
  // Bit c of the result is bit c - by of the source.
  each_word(stripe, to, mask, [&](std::size_t i, const auto& at) {
    const auto bits_from = [&](std::int64_t first) {  // 64 bits
      const std::int64_t word = first >> 6;
      const auto get = [&](std::int64_t w) {
        return w < 0 || w >= static_cast<std::int64_t>(line_words_) ? 0 : at(from)[w];
      };
      const unsigned offset = first & 63;
      return offset == 0 ? get(word) : get(word) >> offset | get(word + 1) << (64 - offset);
    };
    return bits_from(static_cast<std::int64_t>(i) * 64 - by);
  });
  count_.shifts += static_cast<std::uint64_t>(std::abs(std::int64_t{by}));
}

void Model::pattern(Stripe stripe, Line to, std::uint32_t period, std::uint32_t first,
                    std::uint32_t last) {
  each_word(stripe, to, {}, [&](std::size_t i, const auto&) {
    std::uint64_t word = 0;
    for (unsigned k = 0; k < 64; ++k) {
      const std::uint64_t phase = (i * 64 + k) % period;
      word |= std::uint64_t{phase >= first && phase < last} << k;
    }
    return word;
  });
  ++count_.logic;
}

void Model::apply(Stripe stripe, Logic f, Line to, Line a, Line b, LineMasks mask) {
  check("pim::apply", stripe, {to, a, b, mask ? mask->line : to});
  combine(stripe, f, to, a, b, mask);
}

void Model::shift_columns(Stripe stripe, Line to, Line from, int by, LineMasks mask) {
  check("pim::shift_columns", stripe, {to, from, mask ? mask->line : to});
  move(stripe, to, from, by, mask);
}

void Model::set_pattern(Stripe stripe, Line to, std::uint32_t period, std::uint32_t first,
                        std::uint32_t last) {
  check("pim::set_pattern", stripe, {to});
  if (period == 0) throw Error::input("pim::set_pattern", "a period of no columns");
  pattern(stripe, to, period, first, last);
}

}  // namespace Atoll::pim
