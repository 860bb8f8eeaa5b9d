#include "atoll/options/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "atoll/base/numbers.hpp"

namespace Atoll::value {
namespace {

template <class Whole>
options::Check whole(Whole least, Whole most) {
  return {[least, most](const std::string& text) -> std::string {
    const auto number = parse_whole<Whole>(text);
    const std::size_t digit = text.starts_with('-') ? 1 : 0;
    const bool octal = text.size() > digit + 1 && text[digit] == '0';
    if (number && *number >= least && *number <= most && !octal) return "";
    return fmt::format("'{}' is not a whole number from {} to {}{}", text, least, most,
                       octal ? " without leading zeros" : "");
  }};
}

}  // namespace

options::Check count(std::uint64_t least, std::uint64_t most) {
  return whole(least, most);
}

options::Check signed_count(std::int64_t least, std::int64_t most) {
  return whole(least, most);
}

options::Check real(double least, double most) {
  return {[least, most](const std::string& text) -> std::string {
    const auto number = parse_real(text);
    if (number && *number >= least && *number <= most) return "";
    return fmt::format("'{}' is not a number from {:.15g} to {:.15g}", text, least, most);
  }};
}

options::Check positive(double most) {
  return {[most](const std::string& text) -> std::string {
    const auto number = parse_real(text);
    if (number && *number > 0 && *number <= most) return "";
    const bool is_bounded = most != std::numeric_limits<double>::max();
    return fmt::format("'{}' is not a number above 0{}", text,
                       is_bounded ? fmt::format(", up to {:.15g}", most) : "");
  }};
}

options::Check not_empty() {
  return {[](const std::string& text) { return text.empty() ? "the value is empty" : ""; }};
}

options::Check one_of(const std::vector<std::string>& words, bool is_shown) {
  const std::string all = fmt::format("{{{}}}", fmt::join(words, ","));
  return {[words, all](const std::string& text) {
            const bool is_known = std::ranges::find(words, text) != words.end();
            return is_known ? "" : fmt::format("{} not in {}", text, all);
          },
          is_shown ? all : ""};
}

}  // namespace Atoll::value
