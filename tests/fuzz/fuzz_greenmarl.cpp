// Any bytes as a program: either it is compiled, through all passes and to C++, or there is a
// SourceError whose place lies in the text. What was parsed is printed and parsed again to the same
// tree, and twice compiled is the same C++.
#include <algorithm>
#include <cstdint>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/parser.hpp"

namespace {

using namespace Atoll::greenmarl;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

int height(const std::vector<ast::Stmt>& statements) {
  int deepest = 0;
  for (const ast::Stmt& stmt : statements) {
    int below = std::max(height(stmt.body), height(stmt.otherwise));
    for (const auto* list : {&stmt.condition, &stmt.value})
      for (const ast::Expr& expr : *list) below = std::max(below, expr.height);
    deepest = std::max(deepest, below + 1);
  }
  return deepest;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const Source source{"x.gm", text};
    const ast::Procedure tree = parse(source);
    // The printed text has a parenthesis for each operator: near the limit it may be nested too
    // deeply.
    if (height(tree.body) < kMaxDepth / 4) {
      const Source printed{"printed.gm", ast::print(tree)};
      require(parse(printed) == tree);
    }
    const Program program = compile(text, "x.gm");
    require(!program.cpp.empty());
    require(compile(text, "x.gm").cpp == program.cpp);
  } catch (const SourceError& error) {
    const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
    require(error.line() >= 1 && error.line() <= lines);
    require(error.column() >= 1 && error.column() <= static_cast<int>(size) + 1);
  }
  return 0;
}
