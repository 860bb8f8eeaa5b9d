#include "greenmarl/line_directives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "greenmarl/emit_expression.hpp"

namespace Atoll::greenmarl {

std::string with_program_lines(const ir::Procedure& procedure, Position at, std::string_view text) {
  // The folder is omitted, so that the same program in another folder gives the same C++. The
  // blanks preserve the column.
  const std::string file = std::filesystem::path(procedure.source->name).filename().string();
  return fmt::format("\n#line {} {}\n{}{}\n{}", at.line, cpp_string(file),
                     std::string(static_cast<std::size_t>(at.column), ' '), text, kLineBack);
}

std::string with_own_lines(std::string_view file, std::string_view name) {
  std::string numbered;
  for (int next = 2; !file.empty(); ++next) {
    const std::size_t end = std::min(file.find('\n'), file.size() - 1) + 1;
    const std::string_view line = file.substr(0, end);
    if (line.starts_with(kLineBack))
      numbered += fmt::format("#line {} {}\n", next, cpp_string(name));
    else
      numbered += line;
    file.remove_prefix(end);
  }
  return numbered;
}

}  // namespace Atoll::greenmarl
