// Table of invalid programs, with all diagnostics in order and the caret.
#pragma once

#include <gmock/gmock.h>

#include "greenmarl_support.hpp"

namespace Atoll::greenmarl {

struct Mistake {
  std::string program;            ///< a whole program, or statements that begin in line 2
  std::vector<std::string> said;  ///< "LINE:COLUMN: message; way out"
};

/// Wraps the statements in a procedure with parameters of many types. Its output is assigned.
inline std::string with_everything(const std::string& statements) {
  return "Procedure p(G: Graph, n: Int, r: Node, b: Bool, s: N_S(G), q: N_Q(G), m: Map<Node, Int>, "
         "len: E_P<Double>(G); x: N_P<Double>(G)) {\n" +
         statements + "\nG.x = 0; }\n";
}

inline std::string line_of_text(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string found;
  for (; line > 0; --line) std::getline(lines, found);
  return found;
}

/// Checks the diagnostics of each program, and that each caret is below the reported position.
inline void expect_said(const std::vector<Mistake>& mistakes, const CompileOptions& options = {}) {
  for (const auto& [program, said] : mistakes) {
    const bool whole = program.starts_with("Proc") || program.starts_with("Local");
    const std::string text = whole ? program : with_everything(program);
    std::vector<Diagnostic> list;
    try {
      list = compile(text, "x.gm", options).warnings;
    } catch (const CompileError& error) {
      list = error.diagnostics();
    }
    std::vector<std::string> lines;
    for (const Diagnostic& diagnostic : list) {
      lines.push_back(diagnostic.to_string().substr(5));
      EXPECT_FALSE(diagnostic.way_out.empty()) << diagnostic.to_string();
      // The excerpt shows 76 characters. If the position is later in the line, it is in the
      // excerpt's middle.
      const std::string& excerpt = diagnostic.excerpt;
      const std::size_t caret = excerpt.size() - excerpt.find('\n') - 2;
      const std::string wrong = line_of_text(text, diagnostic.line);
      const auto place = static_cast<std::size_t>(diagnostic.column) - 1;
      ASSERT_LE(place, wrong.size()) << program;
      EXPECT_EQ(excerpt.back(), '^');
      if (place < wrong.size()) {
        EXPECT_EQ(excerpt[caret], wrong[place]) << program;
      }
    }
    EXPECT_THAT(lines, testing::ElementsAreArray(said)) << program;
  }
}

}  // namespace Atoll::greenmarl
