// Values in a Python dictionary, as networkx writes one after an edge: {'weight': 0.5, 'name':
// 'x'}.
#pragma once

#include <optional>
#include <string_view>

namespace Atoll::graph {

struct DictionaryEntry {
  bool well_formed = false;               ///< false: the text isn't a dictionary
  std::optional<std::string_view> value;  ///< the value's text; empty if the key is missing
};

/// Looks up the key in a dictionary that spans the whole text.
[[nodiscard]] DictionaryEntry find_in_dictionary(std::string_view text, std::string_view key);

}  // namespace Atoll::graph
