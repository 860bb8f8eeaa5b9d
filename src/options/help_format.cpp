#include "options/help_format.hpp"

#include <algorithm>
#include <sstream>

namespace Atoll::options {

std::string HelpFormat::make_option_name(const CLI::Option* option, bool is_positional) const {
  const std::string names = CLI::Formatter::make_option_name(option, is_positional);
  const std::size_t first = names.find("--");
  return first == std::string::npos ? names : names.substr(0, names.find(',', first));
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  const std::string text = CLI::Formatter::make_option_opts(option);
  return text.substr(0, std::min(text.find(" Needs:"), text.find(" Excludes:")));
}

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
