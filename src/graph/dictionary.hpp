// Values in a Python dictionary, as networkx writes one behind an edge: {'weight': 0.5, 'name':
// 'x'}.
#pragma once

#include <optional>
#include <string_view>

namespace Atoll::graph {

struct DictionaryEntry {
  bool well_formed = false;               ///< false: the text is no dictionary
  std::optional<std::string_view> value;  ///< its text; none if the dictionary has no such key
};

/// Looks for the key in a dictionary that is the whole text.
[[nodiscard]] DictionaryEntry find_in_dictionary(std::string_view text, std::string_view key);

}  // namespace Atoll::graph
