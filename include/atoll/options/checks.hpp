// Checks of options' values. Numbers are read strictly: NaN, -1 for a count, 010 and numbers that
// are too large are refused.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace Atoll::options {

/// A check of a value of an option.
struct Check {
  /// `returns_refusal` is a function of a value (const std::string&) as below.
  template <class F>
  Check(F returns_refusal, std::string shown = "")
      : refusal(std::move(returns_refusal)), hint(std::move(shown)) {}

  /// Returns "" if the value is accepted, else the reason why it isn't.
  std::function<std::string(const std::string& value)> refusal;
  /// Shown after the option in the help; "" for nothing.
  std::string hint;
};

}  // namespace Atoll::options

namespace Atoll::value {

/// Accepts whole numbers from `least` to `most`.
[[nodiscard]] options::Check count(std::uint64_t least,
                                   std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
/// Accepts whole numbers from `least` to `most`, which may be negative.
[[nodiscard]] options::Check signed_count(std::int64_t least, std::int64_t most);
/// Accepts numbers from `least` to `most`. NaN and infinities are refused.
[[nodiscard]] options::Check real(double least, double most);
/// Accepts numbers above 0, up to `most`. NaN and infinities are refused.
[[nodiscard]] options::Check positive(double most = std::numeric_limits<double>::max());
/// Refuses an empty value.
[[nodiscard]] options::Check not_empty();
/// Accepts these words, which the help shows as {a,b} unless `is_shown` is false.
[[nodiscard]] options::Check one_of(const std::vector<std::string>& words, bool is_shown = true);
/// Accepts the keys of a map.
template <class T>
[[nodiscard]] options::Check one_of(const std::map<std::string, T>& by_name, bool is_shown = true) {
  std::vector<std::string> words;
  for (const auto& [name, value] : by_name) words.push_back(name);
  return one_of(words, is_shown);
}

}  // namespace Atoll::value
