// Formulas compared with plain arithmetic on random expressions, and their text form.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "atoll/pattern/formula.hpp"

namespace Atoll {
namespace {

const Formula kN = Formula::symbol("N");
const Formula kE = Formula::symbol("E");
const Formula kK = Formula::symbol("k");

TEST(Formula, IsWrittenAsPeopleDo) {
  EXPECT_EQ(Formula().to_string(), "0");
  EXPECT_EQ(Formula(7).to_string(), "7");
  EXPECT_EQ(Formula(-0.5).to_string(), "-0.5");
  EXPECT_EQ(kN.to_string(), "N");
  EXPECT_EQ((kN + kE + 1).to_string(), "E + N + 1");
  EXPECT_EQ((kN + 2 * kN * kK + kE * kK).to_string(), "k*E + 2*k*N + N");
  EXPECT_EQ((kN * kN * kK * kK * kK).to_string(), "k^3*N^2");
  EXPECT_EQ((kN * kE * Formula::symbol("k2") * kK).to_string(), "k*k2*E*N");
  EXPECT_EQ((kN + -1 * kK).to_string(), "-k + N");
  EXPECT_EQ((kN * kN + -3 * kE).to_string(), "N^2 - 3*E");
  EXPECT_EQ((3000000000.0 * kN).to_string(), "3000000000*N");
}

TEST(Formula, EqualPolynomialsAreEqualValues) {
  EXPECT_TRUE((kN + -1 * kN).is_zero());
  EXPECT_TRUE((0 * kN).is_zero());
  EXPECT_TRUE((1e-200 * kN * 1e-200).is_zero());  // the product underflows to 0
  EXPECT_EQ(Formula(), Formula(0));
  EXPECT_EQ((kN + kE) * (kN + kE), kN * kN + 2 * kN * kE + kE * kE);
  EXPECT_NE(kN, kE);
  EXPECT_NE(kN, 2 * kN);
}

TEST(Formula, IsTheSumOfItsTerms) {
  EXPECT_EQ(Formula::of({{2, {"k", "N", "k"}}, {-0.1, {}}, {1, {"E"}}}),
            2 * kK * kK * kN + -0.1 + kE);
  EXPECT_EQ(Formula::of({}), Formula());
  const Formula formula = (kN + -0.3 * kE + 7) * (kK + kN) * kN;
  EXPECT_EQ(Formula::of(formula.terms()), formula);
  EXPECT_EQ(formula.terms().size(), 6U);
}

TEST(Formula, WithItself) {
  Formula f = kN + 3;
  f += f;
  EXPECT_EQ(f, 2 * kN + 6);
  f *= f;
  EXPECT_EQ(f, 4 * kN * kN + 24 * kN + 36);
}

TEST(Formula, UnboundSymbolsCountAsTold) {
  const Formula f = kK * kE + kN;
  EXPECT_EQ(f.evaluate({{"E", 5}, {"N", 2}}), 7);
  EXPECT_EQ(f.evaluate({{"E", 5}, {"N", 2}}, 10), 52);
  EXPECT_EQ(f.evaluate({{"E", 5}, {"N", 2}, {"k", 0}}, 10), 2);
  EXPECT_EQ(Formula().evaluate({}), 0);
}

// A formula and its value. The numbers are small integers, so the arithmetic is exact.
struct Both {
  Formula formula;
  double value;
};

Both random_expression(std::mt19937& random, const Bindings& bindings, int depth) {
  static constexpr std::array names{"N", "E", "k", "k2", "M"};
  const auto draw = [&](int n) { return std::uniform_int_distribution(0, n - 1)(random); };
  if (depth == 0 || draw(5) == 0) {
    if (draw(2) == 0) {
      const int constant = draw(7) - 3;
      return {constant, static_cast<double>(constant)};
    }
    const char* name = names.at(static_cast<std::size_t>(draw(names.size())));
    return {Formula::symbol(name), bindings.find(name)->second};
  }
  Both left = random_expression(random, bindings, depth - 1);
  const Both right = random_expression(random, bindings, depth - 1);
  if (draw(2) == 0) return {left.formula += right.formula, left.value + right.value};
  return {left.formula *= right.formula, left.value * right.value};
}

TEST(Formula, AgreesWithArithmetic) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    Bindings bindings;
    for (const char* name : {"N", "E", "k", "k2", "M"})
      bindings[name] = std::uniform_int_distribution(-2, 3)(random);
    const Both a = random_expression(random, bindings, 4);
    const Both b = random_expression(random, bindings, 3);
    const Both c = random_expression(random, bindings, 3);
    ASSERT_EQ(a.formula.evaluate(bindings), a.value) << a.formula.to_string();
    ASSERT_EQ(a.formula + b.formula, b.formula + a.formula);
    ASSERT_EQ(a.formula * b.formula, b.formula * a.formula);
    ASSERT_EQ(a.formula * (b.formula + c.formula), a.formula * b.formula + a.formula * c.formula);
    ASSERT_TRUE((a.formula + -1 * a.formula).is_zero());
  }
}

}  // namespace
}  // namespace Atoll
