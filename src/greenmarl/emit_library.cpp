// Emits the C++ file of a library: its procedures, a table of them, and the C functions.
#include <fmt/format.h>

#include "greenmarl/emit.hpp"
#include "greenmarl/library_texts.hpp"
#include "greenmarl/line_directives.hpp"

namespace Atoll::greenmarl {
namespace {

/// Makes a file name safe inside a C comment.
std::string comment_safe(std::string text) {
  for (char& c : text)
    if (c == '*' || c == '@' || c == '\n' || c == '\\') c = '_';
  return text;
}

std::string filled(std::string_view text, const std::string& name, const std::string& source) {
  std::string capitals = name;
  for (char& c : capitals)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  std::string out;
  for (std::size_t at; (at = text.find('@')) != std::string_view::npos;) {
    out += text.substr(0, at);
    text.remove_prefix(at);
    const std::string& value = text[1] == 'X' ? name : text[1] == 'U' ? capitals : source;
    out += value;
    text.remove_prefix(text.find('@', 1) + 1);
  }
  return out.append(text);
}

}  // namespace

void emit_library(Library& library) {
  const auto texts = detail::library_texts();
  const std::string source = comment_safe(library.procedures.front().procedure.source);
  library.header = filled(texts[0].text, library.name, source);
  std::string& cpp = library.cpp;
  cpp = library_includes() + library.header + "\n";
  std::string table;
  for (std::size_t i = 0; i < library.procedures.size(); ++i) {
    const CompiledProcedure& program = library.procedures[i];
    cpp += fmt::format("namespace procedure_{} {{\nnamespace {{\n\n{}\n}}  // namespace\n}}\n\n", i,
                       program.function);
    table += fmt::format(
        "          {{procedure_{0}::describe(),\n           {1}}},\n", i,
        entry_text(fmt::format("procedure_{}::", i), program.function_name, program.procedure));
  }
  cpp += fmt::format(
      "namespace {{\nstd::vector<Atoll::program::Offered> make_offered() {{\n  return {{\n{}  }};\n"
      "}}\n}}  // namespace\n\n",
      table);
  cpp += filled(texts[1].text, library.name, source);
  cpp = with_own_lines(cpp, library.name + ".cpp");
}

}  // namespace Atoll::greenmarl
