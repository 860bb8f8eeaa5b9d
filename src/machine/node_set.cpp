// Formats and parses lists of numbers.
#include "machine/node_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "atoll/base/error.hpp"
#include "machine/check.hpp"

namespace Atoll::detail {

std::string format_numbers(std::span<const int> numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += fmt::to_string(numbers[i]);
    if (end - i > 1) fmt::format_to(std::back_inserter(text), "-{}", numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string format_nodes(std::span<const NodeId> nodes) {
  std::vector<int> numbers;
  for (const NodeId node : nodes) numbers.push_back(static_cast<int>(node.value));
  return format_numbers(numbers);
}

std::vector<int> parse_numbers(std::string_view text, std::string_view where, int most) {
  const auto wrong = [&] {
    return Error::input(where, fmt::format("'{}' is not a list of numbers up to {}", text, most),
                        "write for example 0-3,6");
  };
  const std::size_t longest = std::min(static_cast<std::size_t>(most), kMaxProcessors) + 1;
  std::vector<int> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&] {
    int value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || *at == '-' || value > most) throw wrong();
    at = rest;
    return value;
  };
  for (;; ++at) {
    const int first = number();
    int last = first;
    if (at != end && *at == '-') {
      ++at;
      last = number();
      if (last < first) throw wrong();
    }
    const std::size_t count = static_cast<std::size_t>(last - first) + 1;
    if (numbers.size() + count > longest) throw wrong();  // contains duplicates
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(first + static_cast<int>(i));
    if (at == end) return numbers;
    if (*at != ',') throw wrong();
  }
}

}  // namespace Atoll::detail
