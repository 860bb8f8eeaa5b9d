// Polynomials as sums of monomials with coefficients. Zero coefficients are removed, so equal
// polynomials have equal representations.
#include "atoll/pattern/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace Atoll {
namespace {

// Orders loop counts before the sizes E and N, as in the usual notation k*E.
bool printed_before(const std::string& a, const std::string& b) {
  const auto rank = [](const std::string& symbol) {
    return std::pair(symbol == "N" ? 2 : symbol == "E" ? 1 : 0, std::string_view(symbol));
  };
  return rank(a) < rank(b);
}

// Joins symbols in printing order to text such as "k^2*N".
std::string product(const std::vector<std::string>& symbols) {
  std::string text;
  for (auto first = symbols.begin(); first != symbols.end();) {
    const auto last =
        std::find_if(first, symbols.end(), [&](const auto& s) { return s != *first; });
    if (!text.empty()) text += '*';
    text += *first;
    if (last - first > 1) text += fmt::format("^{}", last - first);
    first = last;
  }
  return text;
}

}  // namespace

Formula::Formula(double constant) {
  if (constant != 0) terms_[{}] = constant;
}

Formula Formula::symbol(std::string_view name) {
  Formula formula;
  formula.terms_[{std::string(name)}] = 1;
  return formula;
}

Formula Formula::of(const std::vector<Term>& terms) {
  Formula sum;
  for (const Term& term : terms) {
    Formula product(term.coefficient);
    for (const std::string& name : term.symbols) product *= symbol(name);
    sum += product;
  }
  return sum;
}

std::vector<Formula::Term> Formula::terms() const {
  std::vector<Term> terms;
  terms.reserve(terms_.size());
  for (const auto& [monomial, coefficient] : terms_) terms.push_back({coefficient, monomial});
  return terms;
}

Formula& Formula::operator+=(const Formula& other) {
  if (this == &other) return *this *= 2;
  for (const auto& [monomial, coefficient] : other.terms_) {
    const auto term = terms_.try_emplace(monomial, 0).first;
    term->second += coefficient;
    if (term->second == 0) terms_.erase(term);
  }
  return *this;
}

Formula& Formula::operator*=(const Formula& other) {
  Formula result;
  for (const auto& [left, a] : terms_) {
    for (const auto& [right, b] : other.terms_) {
      Formula term;
      Monomial monomial;
      std::merge(left.begin(), left.end(), right.begin(), right.end(),
                 std::back_inserter(monomial));
      term.terms_.emplace(std::move(monomial), a * b);
      result += term;
    }
  }
  return *this = std::move(result);
}

double Formula::evaluate(const Bindings& bindings, double otherwise) const {
  double sum = 0;
  for (const auto& [monomial, coefficient] : terms_) {
    double value = coefficient;
    for (const std::string& symbol : monomial) {
      const auto bound = bindings.find(symbol);
      value *= bound == bindings.end() ? otherwise : bound->second;
    }
    sum += value;
  }
  return sum;
}

std::string Formula::to_string() const {
  std::vector<std::pair<Monomial, double>> terms(terms_.begin(), terms_.end());
  for (auto& term : terms) std::ranges::sort(term.first, printed_before);
  std::ranges::sort(terms, [](const auto& a, const auto& b) {
    if (a.first.size() != b.first.size()) return a.first.size() > b.first.size();
    return std::ranges::lexicographical_compare(a.first, b.first, printed_before);
  });
  std::string text;
  for (const auto& [monomial, coefficient] : terms) {
    const bool negative = coefficient < 0;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    const double size = std::abs(coefficient);
    if (size != 1 || monomial.empty()) text += fmt::format("{}", size);
    if (size != 1 && !monomial.empty()) text += '*';
    text += product(monomial);
  }
  return text.empty() ? "0" : text;
}

}  // namespace Atoll
