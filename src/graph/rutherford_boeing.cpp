// Checks the fixed-format lines of the header.
#include "graph/rutherford_boeing.hpp"

#include <algorithm>
#include <array>

#include "atoll/base/error.hpp"

namespace Atoll::graph {

bool is_rutherford_boeing(std::string_view head) {
  std::array<std::string_view, 4> lines;
  for (std::string_view& line : lines) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos) return false;
    line = head.substr(0, end);
    head.remove_prefix(end + 1);
  }
  const std::string_view type = next_word(lines[2]);
  const auto is_one_of = [&](std::size_t letter, std::string_view letters) {
    return letters.find(type[letter]) != std::string_view::npos;
  };
  return type.size() == 3 && is_one_of(0, "rcpiqRCPIQ") && is_one_of(1, "surhzSURHZ") &&
         is_one_of(2, "aeAE") && trimmed(lines[3]).starts_with('(');
}

ParsedText refuse_rutherford_boeing(TextReader& reader, const Team&, const TextRequest&) {
  throw Error::input(reader.source().name(),
                     "is a Rutherford-Boeing or Harwell-Boeing matrix, which isn't read",
                     "convert it to Matrix Market, as SciPy's hb_read and mmwrite do");
}

}  // namespace Atoll::graph
