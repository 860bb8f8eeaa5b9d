// Uses std::from_chars where possible: it is fast and accepts only numbers.
#include "graph/real_number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace Atoll::graph {
namespace {

std::errc read_plain(std::string_view word, double& number) {
  const char* const behind = word.data() + word.size();
  const auto [end, problem] = std::from_chars(word.data(), behind, number);
  return end == behind ? problem : std::errc::invalid_argument;
}

/// True if the first nonzero digit has a place value of at least 1. An out-of-range number then
/// overflows; otherwise it underflows.
bool is_large(std::string_view word) {
  const std::size_t exponent_at = std::min(word.find_first_of("eE"), word.size());
  std::string_view digits = word.substr(0, exponent_at);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  const auto place = static_cast<long long>(point) - static_cast<long long>(first);
  std::string_view text = word.substr(std::min(word.size(), exponent_at + 1));
  if (text.starts_with('+')) text.remove_prefix(1);
  long long exponent = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), exponent).ec ==
      std::errc::result_out_of_range)
    return !text.starts_with('-');
  return exponent + place > 0;
}

}  // namespace

bool read_real(std::string_view word, double& number) {
  if (word.starts_with('+')) {
    word.remove_prefix(1);
    if (word.starts_with('-') || word.starts_with('+')) return false;
  }
  std::errc problem = read_plain(word, number);
  std::string copy;
  if (problem == std::errc::invalid_argument) {
    const std::size_t d = word.find_first_of("dD");
    if (d == 0 || d == std::string_view::npos) return false;
    copy = word;
    copy[d] = 'e';
    word = copy;
    problem = read_plain(word, number);
  }
  if (problem == std::errc::result_out_of_range) {
    number = is_large(word) ? HUGE_VAL : 0.0;
    if (word.starts_with('-')) number = -number;
    problem = {};
  }
  return problem == std::errc{};
}

}  // namespace Atoll::graph
