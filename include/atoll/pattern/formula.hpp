// Counts that depend on the input, such as "k*E + 2*k*N + N": polynomials over N (nodes), E (edges)
// and the trip counts of loops [shoal §4: "a formula estimating the number of reads and writes"].
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace Atoll {

/// Values of a formula's symbols.
using Bindings = std::map<std::string, double, std::less<>>;

/// A polynomial over named symbols.
class Formula {
 public:
  /// One term of the sum: a coefficient times symbols.
  struct Term {
    double coefficient = 0;
    std::vector<std::string> symbols;  ///< each symbol repeated according to its power
  };
  Formula() = default;       ///< zero
  Formula(double constant);  // NOLINT(google-explicit-constructor): 2 * N reads as it is meant
  [[nodiscard]] static Formula symbol(std::string_view name);
  [[nodiscard]] static Formula of(const std::vector<Term>& terms);

  Formula& operator+=(const Formula& other);
  Formula& operator*=(const Formula& other);
  friend Formula operator+(Formula a, const Formula& b) { return a += b; }
  friend Formula operator*(Formula a, const Formula& b) { return a *= b; }
  friend bool operator==(const Formula&, const Formula&) = default;

  [[nodiscard]] bool is_zero() const { return terms_.empty(); }
  /// Returns the terms, so that of(terms()) equals this formula.
  [[nodiscard]] std::vector<Term> terms() const;
  /// Returns the value of the formula. A symbol without a value in `bindings` has the value
  /// `otherwise`.
  [[nodiscard]] double evaluate(const Bindings& bindings, double otherwise = 1) const;
  /// Returns text such as "k^2*N + 2*E - 1": highest degree first, "0" for zero. Symbols are in the
  /// order loop counts, E, N.
  [[nodiscard]] std::string to_string() const;

 private:
  using Monomial = std::vector<std::string>;  ///< sorted; a symbol occurs as often as its power
  std::map<Monomial, double> terms_;          ///< no zero coefficients
};

}  // namespace Atoll
