#include "options/help_format.hpp"

#include <algorithm>
#include <sstream>

namespace Atoll::options {

std::string HelpFormat::make_option_name(const CLI::Option* option, bool is_positional) const {
  const std::string names = CLI::Formatter::make_option_name(option, is_positional);
  const std::size_t first = names.find("--");
  if (first == std::string::npos) return names;
  return names.substr(0, names.find_first_of(",{", first));  // "--flag{default}"
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  std::string type = option->get_type_name();
  if (type.empty()) return "";
  // CLI11 appends the values that an option may have as ":{a,b}". An option whose value has a name
  // lists them in its description.
  if (const std::size_t values = type.find(":{"); values == 0) {
    type = type.substr(2, type.find('}') - 2);
    std::ranges::replace(type, ',', '|');
  } else {
    type = type.substr(0, values);
  }
  if (option->get_expected_min() == 0 && !option->get_positional()) return "[=" + type + "]";
  const bool is_marked = option->get_required() && !option->get_positional();
  return " " + type + (is_marked ? " (required)" : "");
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
