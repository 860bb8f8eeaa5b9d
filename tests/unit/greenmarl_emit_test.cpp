// The emitted C++: reserved names, escaped text, the hot loop.
#include <gmock/gmock.h>

#include "greenmarl/emit_names.hpp"
#include "greenmarl_support.hpp"

namespace Atoll::greenmarl {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string code_of(const std::string& body) {
  return compile(with_body(body), "x.gm").cpp;
}

TEST(GreenmarlEmit, ReservedNames) {
  EXPECT_EQ(cpp_name("rank"), "rank");
  EXPECT_EQ(cpp_name("N"), "N");
  EXPECT_EQ(cpp_name("double"), "gm_double");
  EXPECT_EQ(cpp_name("run"), "gm_run");
  EXPECT_EQ(cpp_name("EOF"), "gm_EOF");
  EXPECT_EQ(cpp_name("errno"), "gm_errno");
  EXPECT_EQ(cpp_name("_a"), "gm_a");
  EXPECT_EQ(cpp_name("a__b"), "gm_a_b");
}

TEST(GreenmarlEmit, NoNameHidesAnother) {
  NameScopes names;
  names.open();
  EXPECT_EQ(names.declare("a"), "a");
  names.open();
  EXPECT_EQ(names.declare("a"), "a_2");
  EXPECT_EQ(names.declare("a"), "a_3");
  names.close();
  names.open();
  EXPECT_EQ(names.declare("a"), "a_2");
}

TEST(GreenmarlEmit, FileNamesStayWithinTheirLiteral) {
  const std::string code = compile(with_body("G.x = 1 / n;"), "dir/a\"; int x;\n\\.gm").cpp;
  EXPECT_THAT(code, HasSubstr(R"({"p", "a\"; int x;\012\\.gm", {}, {}})"));
  EXPECT_THAT(code, HasSubstr(R"("a\"; int x;\012\\.gm:2:9")"));
  EXPECT_THAT(code, Not(HasSubstr("dir")));
}

// An insertion moves the other entries, so accesses by a single iteration need the lock, too.
TEST(GreenmarlEmit, MapsAreLockedInParallelLoops) {
  EXPECT_THAT(code_of("Map<Node, Int> m; Foreach (t: G.Nodes) { m[t] = 1; }"),
              HasSubstr("locked(m, [&](auto key, auto value) { m.set(key, value); }, t, 1);"));
  EXPECT_THAT(code_of("Map<Node, Int> m; Foreach (t: G.Nodes) { m[t] <= 2 @ t; }"),
              HasSubstr("locked(m_nxt, [&](auto key, auto value) { m_nxt.set(key, value); }"));
  EXPECT_THAT(code_of("Map<Node, Int> m; Foreach (t: G.Nodes) { m[t] += m[t]; }"),
              AllOf(Not(HasSubstr("+ m.get(")), Not(HasSubstr(", m.get("))));
  EXPECT_THAT(code_of("Map<Node, Int> m; For (t: G.Nodes) { m[t] = 1; }"),
              Not(HasSubstr("locked")));
}

TEST(GreenmarlEmit, TheGatherLoopOfPageRank) {
  EXPECT_THAT(compile_file(ATOLL_SOURCE_DIR "/apps/greenmarl/pagerank.gm").cpp, HasSubstr(R"(
          const Edge* const r_begin = run.r_begin.local().data();
          const Node* const r_node_idx = run.r_node_idx.local().data();
          double* const pg_rank = pg_rank_array.master().data();
          const double* const pg_rank_term = pg_rank_term_array.local().data();
          const auto d_here = d;
          const auto invariant_here = invariant;
          double diff_part = 0.0;
          for (std::size_t t = first; t < last; ++t) {
            double sum = 0.0;
            for (Edge edge = r_begin[t], end = r_begin[t + 1]; edge < end; ++edge) {
              const Node w = r_node_idx[edge];
              sum += pg_rank_term[w];
            }
            const double val = invariant_here + d_here * sum;
            diff_part += std::abs(val - pg_rank[t]);
            pg_rank[t] = val;
          }
          return diff_part;
)"));
}

TEST(GreenmarlEmit, Expressions) {
  EXPECT_THAT(code_of("G.x = -(-1.5) - -n;"), HasSubstr("1.5 - static_cast<double>(-n)"));
  EXPECT_THAT(code_of("G.x = n - (n - 1) - 1;"), HasSubstr("n - (n - 1) - 1"));
  EXPECT_THAT(code_of("Bool b = (n > 1 || n < 0) && n == 2 || !(n < 7); G.x = (Int) b;"),
              HasSubstr("((n > 1 || n < 0) && n == 2) || !(n < 7)"));
  EXPECT_THAT(code_of("G.x = n / 7 + n % n;"),
              HasSubstr("n / 7 + Atoll::program::remainder<std::int32_t>(n, n, \"x.gm:2:17\")"));
  EXPECT_THAT(code_of("Foreach (t: G.Nodes) { Int i = t.Degree(); t.x = i; }"),
              HasSubstr("Atoll::program::narrow(static_cast<std::int64_t>(begin[t + 1] - "
                        "begin[t]), \"x.gm:2:32\")"));
  EXPECT_THAT(code_of("Float f = 0.1; G.x = f;"), HasSubstr("float f = 0.1F;"));
  EXPECT_THAT(code_of("G.x = 1e300 * 2;"), HasSubstr("1e+300 * 2.0"));
}

// A node that reads the previous level and writes its own property needs no atomic operation. A
// node that writes the previous level's properties does.
TEST(GreenmarlEmit, LevelsAreReachedWithoutAtomics) {
  EXPECT_THAT(code_of("InBFS (t: G.Nodes From r) { Foreach (u: t.UpNbrs) { t.x += u.x; } }"),
              Not(HasSubstr("Atoll::graph::combine_sum")));
  EXPECT_THAT(code_of("InBFS (t: G.Nodes From r) { Foreach (u: t.UpNbrs) { u.x += t.x; } }"),
              HasSubstr("Atoll::graph::combine_sum"));
}

TEST(GreenmarlEmit, TheLowestLong) {
  EXPECT_THAT(code_of("Long a = -9223372036854775808; G.x = a;"),
              HasSubstr("std::int64_t a = std::numeric_limits<std::int64_t>::min();"));
  EXPECT_THAT(code_of("Long a = -(-9223372036854775808); G.x = a;"),
              HasSubstr("std::int64_t a = std::numeric_limits<std::int64_t>::min();"));
}

// #line directives: errors in foreign text refer to lines of the program, later errors to lines of
// the C++ file.
TEST(GreenmarlEmit, ForeignTextHasTheProgramsLines) {
  const std::string code = code_of("  [ int b =\n  2; ]\n  n = [ $n + 1 ]; G.x = n;");
  EXPECT_THAT(code, HasSubstr("\n#line 2 \"x.gm\"\n    int b =\n  2; ;\n#line "));
  EXPECT_THAT(code, HasSubstr("n = static_cast<std::int32_t>(\n#line 4 \"x.gm\"\n"
                              "        n + 1 \n#line "));
  std::istringstream lines(code);
  int number = 0, returns = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.ends_with("\"p.cpp\"")) continue;
    EXPECT_EQ(line, "#line " + std::to_string(number + 1) + " \"p.cpp\"");
    ++returns;
  }
  EXPECT_EQ(returns, 2);
}

TEST(GreenmarlEmit, PowersOfSymbolsAreProducts) {
  EXPECT_THAT(code_of("Foreach (t: G.Nodes) { Foreach (u: G.Nodes) { n += (Int) u.x; } } G.x = 1;"),
              HasSubstr(R"({false, Order::stream, Formula::of({{1, {"N", "N"}}})})"));
}

}  // namespace
}  // namespace Atoll::greenmarl
