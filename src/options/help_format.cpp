#include "options/help_format.hpp"

#include <sstream>

namespace Atoll::options {

std::string HelpFormat::folded(const std::string& text, std::size_t column) {
  std::istringstream words(text);
  std::string lines, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && column + line.size() + 1 + word.size() > kColumns) {
      // CLI11 indents the lines after a line break in an option's description, but not in a verb's.
      lines += line + "\n" + (column == kColumn ? "" : std::string(column, ' '));
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + line;
}

}  // namespace Atoll::options
