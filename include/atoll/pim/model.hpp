// Functional model of a device that computes in its sense amplifiers: rows of bits, the paper's
// operations [imi §3.1], and arithmetic built from them. It shows the effect of placement: it
// rejects operands that aren't aligned and counts row operations.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "atoll/pim/device.hpp"
#include "atoll/pim/shape.hpp"

namespace Atoll::pim {

///  - vertical: from column to column of all subarrays; then in the next layer of `bits` rows.
struct Operand {
  Rectangle where;
  Orientation orientation = Orientation::vertical;
  std::uint32_t bits = 0;
};

/// Operand for a block whose request wasn't raw.
[[nodiscard]] inline Operand operand_of(const Block& block, std::uint32_t bits) {
  return {block.where(), block.orientation(), bits};
}

enum class Logic : std::uint8_t { copy_a, not_a, and_, nand_, or_, nor_, xor_, xnor_ };

/// Adjacent subarrays of a bank, whose sense amplifiers work in lockstep.
struct Stripe {
  std::uint32_t bank = 0, subarray = 0, subarrays = 1;
};

/// Operand of a sense amplifier: a row, or one of the eight latches of its accumulator. (The paper
/// doesn't state the number of latches; horizontal multiplication needs eight.)
struct Line {
  static constexpr std::uint32_t kLatches = 8;
  [[nodiscard]] static constexpr Line row(std::uint32_t index) { return {index, false}; }
  [[nodiscard]] static constexpr Line latch(std::uint32_t index) { return {index, true}; }
  std::uint32_t index = 0;
  bool is_latch = false;
};

/// Limits a write to the columns where `line` equals `when`: the suffix .T or .F of the paper's
/// instructions.
struct LineMask {
  Line line;
  bool when = true;
};

/// Limits a write to some elements. The mask has vertical elements of 1 bit, one per element; or
/// horizontal elements of the same width as the masked ones, each all ones or all zeros.
struct Mask {
  Operand elements;
  bool when = true;
};

/// Number of row operations so far. All columns of a stripe work at once, so an operation counts
/// once regardless of its width.
struct RowOperations {
  std::uint64_t logic = 0;   ///< two lines combined, or one copied, into a third
  std::uint64_t shifts = 0;  ///< by one column, as a sense amplifier only reaches its neighbour
  [[nodiscard]] std::uint64_t total() const { return logic + shifts; }
};

///  - the result partly overlaps an operand (or equals one where that is excluded).
class Model {
 public:
  explicit Model(const Geometry& geometry);

  // Access by the host. Elements have up to 64 bits.

  /// Returns the number of elements in an operand.
  [[nodiscard]] std::uint64_t size(const Operand& operand) const;
  /// Stores the low bits of `values` as the first elements; later elements are unchanged.
  void write(const Operand& to, std::span<const std::uint64_t> values);
  /// Returns all elements, zero-extended.
  [[nodiscard]] std::vector<std::uint64_t> read(const Operand& from) const;

  // Row operations.

  /// to = f(a, b)
  void apply(Stripe stripe, Logic f, Line to, Line a, Line b, std::optional<LineMask> mask = {});
  /// to = from, shifted by `by` columns towards higher ones (or lower, if negative). Zeros are
  /// shifted in at the edge of each subarray.
  void shift_columns(Stripe stripe, Line to, Line from, int by, std::optional<LineMask> mask = {});
  /// Sets bits [first, last) of every `period` columns to 1 and all others to 0: constants of the
  /// control unit. Counts as one row operation.
  void set_pattern(Stripe stripe, Line to, std::uint32_t period, std::uint32_t first,
                   std::uint32_t last);

  // Element-wise operations, modulo 2^bits. `to` may equal an operand, unless stated otherwise.

  void logic(Logic f, const Operand& to, const Operand& a, const Operand& b,
             std::optional<Mask> mask = {});
  /// to = a * 2^by or, for a negative `by`, a / 2^-by rounded down (zeros are shifted in at the
  /// top).
  void shift(const Operand& to, const Operand& a, int by, std::optional<Mask> mask = {});
  void add(const Operand& to, const Operand& a, const Operand& b, std::optional<Mask> mask = {});
  /// `to` must not be `a` or `b`.
  void multiply(const Operand& to, const Operand& a, const Operand& b,
                std::optional<Mask> mask = {});
  /// to = alpha * x + y; `to` must not be `x` [imi §3.2].
  void axpy(const Operand& to, std::uint64_t alpha, const Operand& x, const Operand& y,
            std::optional<Mask> mask = {});

  [[nodiscard]] RowOperations row_operations() const { return count_; }

 private:
  using Words = std::vector<std::uint64_t>;
  using LineMasks = std::optional<LineMask>;
  struct Named {
    const char* name;
    const Operand& operand;
  };
  /// Position of one bit of an element. The subarray is counted from the device's first.
  struct Bit {
    std::size_t subarray;
    Line line;
    std::uint32_t column;
  };

  // model.cpp
  void check(const char* what, const Named& named) const;
  void check(const char* what, Stripe stripe, std::initializer_list<Line> lines) const;
  [[nodiscard]] Bit bit_of(const Operand& operand, std::uint64_t element, std::uint32_t bit) const;
  [[nodiscard]] std::uint64_t* words(std::size_t subarray, Line line);
  template <class Word>
  void each_word(Stripe stripe, Line to, LineMasks mask, Word word);
  void combine(Stripe stripe, Logic f, Line to, Line a, Line b, LineMasks mask = {});
  void move(Stripe stripe, Line to, Line from, int by, LineMasks mask = {});
  void pattern(Stripe stripe, Line to, std::uint32_t period, std::uint32_t first,
               std::uint32_t last);

  // arithmetic.cpp
  void line_up(const char* what, const Operand& to, std::initializer_list<Named> operands,
               const std::optional<Mask>& mask) const;
  void add_layer(Stripe stripe, std::uint32_t to, std::uint32_t a, std::uint32_t b,
                 std::uint32_t bits, std::optional<Line> times, LineMasks mask);
  void add_row(Stripe stripe, Line to, Line a, Line b, std::uint32_t bits, LineMasks mask = {});
  void double_factor(Stripe stripe, std::uint32_t bits);

  Geometry geometry_;
  std::size_t line_words_;
  std::vector<Words> subarrays_;  // rows, then latches; columns from low to high bits; empty: all 0
  RowOperations count_;
};

}  // namespace Atoll::pim
