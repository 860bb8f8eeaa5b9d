// Fuzzes the Green-Marl compiler. Either the program is compiled to C++ through all passes, or
// there are errors with positions within the text. If a parsed program is printed and parsed again,
// the tree is the same. Compiling twice gives the same C++. An input whose first byte can't begin a
// text is a list of choices for the grammar; with SHOW_PROGRAM=1, the program is printed.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/parser.hpp"
#include "greenmarl_grammar.hpp"

namespace {

using namespace Atoll::greenmarl;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  __builtin_trap();
}

int height(const std::vector<ast::Stmt>& statements) {
  int deepest = 0;
  for (const ast::Stmt& stmt : statements) {
    int below = std::max(height(stmt.body), height(stmt.otherwise));
    for (const auto* list : {&stmt.condition, &stmt.values, &stmt.targets, &stmt.root,
                             &stmt.navigator, &stmt.other_condition})
      for (const ast::Expr& expr : *list) below = std::max(below, expr.height);
    deepest = std::max(deepest, below + 1);
  }
  return deepest;
}

bool is_flat(const ast::Module& module) {
  return std::ranges::all_of(module.procedures, [](const ast::Procedure& procedure) {
    return height(procedure.body) < kMaxDepth / 4;
  });
}

void check_parser(const std::string& text) {
  const Source source{"x.gm", text};
  Diagnostics diagnostics(source);
  const ast::Module tree = parse(diagnostics);
  // The printed text has a parenthesis for each operator. If the tree is deep, the printed text may
  // exceed the limits of nesting and length.
  if (diagnostics.failed() || !is_flat(tree)) return;
  const Source printed{"printed.gm", ast::print(tree)};
  if (printed.text.size() > kMaxBytes) return;
  Diagnostics none(printed);
  const ast::Module again = parse(none);
  if (none.failed())
    std::fprintf(stderr, "%s\n%s\n", none.sorted()[0].to_string().c_str(), printed.text.c_str());
  require(!none.failed(), "what is printed can't be read");
  require(again == tree, "what is printed is another program");
}

void check_places(const std::vector<Diagnostic>& list, const std::string& text) {
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  for (const Diagnostic& diagnostic : list) {
    require(diagnostic.line >= 1 && diagnostic.line <= lines, "a line that isn't there");
    require(diagnostic.column >= 1 && diagnostic.column <= static_cast<int>(text.size()) + 1,
            "a column that isn't there");
    require(!diagnostic.message.empty() && !diagnostic.excerpt.empty(), "an empty message");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  const bool grammar = size > 0 && (data[0] >= 0x80 || (data[0] < ' ' && data[0] != '\n'));
  if (grammar) text = Atoll::fuzz::GreenmarlGrammar({data + 1, size - 1}).program();
  if (const char* show = std::getenv("SHOW_PROGRAM"); show != nullptr)
    std::fprintf(stderr, "%s\n", text.c_str());
  check_parser(text);
  try {
    const CompiledProcedure program = compile(text, "x.gm");
    check_places(program.warnings, text);
    require(!program.cpp.empty(), "no C++");
    require(compile(text, "x.gm").cpp == program.cpp, "twice compiled is different C++");
  } catch (const CompileError& error) {
    check_places(error.diagnostics(), text);
    require(std::ranges::find(error.diagnostics(), true, &Diagnostic::error) !=
                error.diagnostics().end(),
            "no error among the errors");
  } catch (const Atoll::Error& error) {
    // Thrown if all procedures are Local.
    require(error.kind() == Atoll::Error::Kind::input, "another error");
  }
  return 0;
}
