#include "base/number_list.hpp"

#include <charconv>

namespace Atoll {
namespace {

/// Returns the number at the start of the text and removes it; -1 if there is none.
int take_number(std::string_view& text) {
  int value = -1;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

std::vector<int> parse_number_list(std::string_view list) {
  constexpr int kMax = 1 << 16;
  std::vector<int> numbers;
  while (!list.empty()) {
    const int first = take_number(list);
    int last = first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      last = take_number(list);
    }
    if (first < 0 || last < first || last >= kMax) return numbers;
    for (int i = first; i <= last; ++i) numbers.push_back(i);
    if (!list.starts_with(',')) break;
    list.remove_prefix(1);
  }
  return numbers;
}

}  // namespace Atoll
