// A graph with known results, and tables of programs with their results.
#pragma once

#include <gtest/gtest.h>

#include "../greenmarl/answer.hpp"

namespace Atoll::greenmarl::oracle {

// Edges 0 to 7: 0->1 0->2 1->3 2->3 3->0 3->3 3->4 3->4; node 5 has none. Out-degrees 2 1 1 4 0 0,
// in-degrees 1 1 1 3 2 0. Levels from 0: {0} {1 2} {3} {4}.
inline Graph small_graph() {
  return {6, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 0}, {3, 3}, {3, 4}, {3, 4}}};
}

struct Row {
  const char* program;
  const char* answer;
};

inline void expect(std::initializer_list<Row> rows) {
  for (const Row& row : rows)
    EXPECT_EQ(answer(row.program, small_graph()), row.answer) << row.program;
}

/// Each row is a type, an expression, and the value of `Return expression`.
inline void expect_values(std::initializer_list<std::array<const char*, 3>> rows) {
  for (const auto& [type, expression, value] : rows) {
    const std::string program =
        fmt::format("Procedure p(G: Graph) : {} {{\nReturn {};\n}}", type, expression);
    const std::string got = answer(program, small_graph());
    EXPECT_EQ(
        got, std::string_view(value).starts_with("stops") ? value : fmt::format("Return {}", value))
        << program;
  }
}

}  // namespace Atoll::greenmarl::oracle
