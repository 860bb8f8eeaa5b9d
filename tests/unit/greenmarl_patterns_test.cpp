// Access patterns, compared with handwritten tables, for Table 1 of the Shoal paper and small
// programs.
#include <algorithm>

#include "greenmarl_support.hpp"

namespace Atoll::greenmarl {
namespace {

const Formula N = Formula::symbol("N"), E = Formula::symbol("E"), k = Formula::symbol("k"),
              deg = Formula::symbol("deg");

PatternAccess read(Order order, const Formula& count) {
  return {false, order, count};
}
PatternAccess write(Order order, const Formula& count) {
  return {true, order, count};
}

/// Expected properties of one array.
struct Expected {
  std::string name;
  Formula elements;
  bool graph_own = false;
  bool temporary = false;
  std::vector<PatternAccess> accesses;
  std::string group = "";
};

void expect_arrays(const std::vector<ArrayUse>& arrays, const std::vector<Expected>& expected) {
  ASSERT_EQ(arrays.size(), expected.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto& [name, type, pattern, result, group, input, edges, needed, graph, value_graph] =
        arrays[i];
    SCOPED_TRACE(name);
    EXPECT_EQ(name, expected[i].name);
    EXPECT_EQ(pattern.elements, expected[i].elements);
    EXPECT_EQ(pattern.graph_own, expected[i].graph_own);
    EXPECT_EQ(pattern.temporary, expected[i].temporary);
    EXPECT_EQ(result, !expected[i].graph_own && !expected[i].temporary);
    EXPECT_EQ(group, expected[i].group);
    EXPECT_EQ(pattern.accesses.size(), expected[i].accesses.size());
    for (const PatternAccess& access : expected[i].accesses)
      EXPECT_EQ(pattern.count(access.write, access.order).to_string(), access.count.to_string())
          << (access.write ? "write " : "read ") << to_string(access.order);
  }
}

CompiledProcedure program(const std::string& path) {
  return compile_file(std::string(ATOLL_SOURCE_DIR) + path);
}

Expected begin(const std::string& name, std::vector<PatternAccess> accesses) {
  return {name, N + 1, true, false, std::move(accesses)};
}
Expected ends(const std::string& name, const Formula& count) {
  return {name, E, true, false, {read(Order::stream, count)}};
}

TEST(GreenmarlPatterns, Table1OfTheShoalPaper) {
  const CompiledProcedure pagerank = program("/apps/greenmarl/pagerank.gm");
  expect_arrays(
      pagerank.declared,
      {begin("begin", {read(Order::random, 2 * k * E)}),
       begin("r_begin", {read(Order::near, 2 * k * N)}),
       ends("r_node_idx", k * E),
       {"pg_rank",
        N,
        false,
        false,
        {read(Order::own, k * N), read(Order::random, k * E), write(Order::own, k * N + N)}},
       {"pg_rank_nxt", N, false, true, {read(Order::own, k * N), write(Order::own, k * N)}}});
  struct Row {
    const char* name;
    bool n, e, ro, std, tmp, indexed;
  };
  const Row table[] = {{"begin", true, false, true, true, false, false},
                       {"r_begin", true, false, true, true, false, false},
                       {"r_node_idx", false, true, true, true, false, false},
                       {"pg_rank", true, false, false, false, false, false},
                       {"pg_rank_nxt", true, false, false, false, true, true}};
  ASSERT_EQ(pagerank.declared.size(), std::size(table));
  for (std::size_t i = 0; i < std::size(table); ++i) {
    const ArrayUse& use = pagerank.declared[i];
    EXPECT_EQ(use.name, table[i].name);
    EXPECT_EQ(use.pattern.elements != E, table[i].n) << use.name;
    EXPECT_EQ(use.pattern.elements == E, table[i].e) << use.name;
    EXPECT_EQ(use.pattern.read_only(), table[i].ro) << use.name;
    EXPECT_EQ(use.pattern.graph_own, table[i].std) << use.name;
    EXPECT_EQ(use.pattern.temporary, table[i].tmp) << use.name;
    EXPECT_EQ(use.pattern.indexed(), table[i].indexed) << use.name;
  }
  EXPECT_EQ(pagerank.declared[3].pattern.reads().to_string(), "k*E + k*N");
  EXPECT_EQ(pagerank.declared[3].pattern.writes().to_string(), "k*N + N");
}

TEST(GreenmarlPatterns, PageRankAsExecuted) {
  expect_arrays(
      program("/apps/greenmarl/pagerank.gm").procedure.arrays,
      {begin("begin", {read(Order::near, 2 * k * N)}),
       begin("r_begin", {read(Order::near, 2 * k * N)}),
       ends("r_node_idx", k * E),
       {"pg_rank", N, false, false, {read(Order::own, 2 * k * N), write(Order::own, k * N + N)}},
       {"pg_rank_term", N, false, true, {read(Order::random, k * E), write(Order::own, k * N)}}});
}

TEST(GreenmarlPatterns, NeighbourAverage) {
  const CompiledProcedure average = program("/tests/programs/neighbour_average.gm");
  const std::vector<Expected> expected{
      // read by G.Degree() and by two loops over t.Nbrs
      begin("begin", {read(Order::near, 6 * N)}),
      ends("node_idx", 2 * E),
      // read by G.InDegree() and w.InDegree()
      begin("r_begin", {read(Order::near, 2 * N), read(Order::random, 2 * E)}),
      // read in the condition and in the body
      {"value", N, false, false, {read(Order::random, 2 * E), write(Order::own, N)}},
      {"average", N, false, false, {read(Order::own, N), write(Order::own, N)}},
      {"busiest", N, false, false, {write(Order::own, N)}}};
  expect_arrays(average.declared, expected);
  expect_arrays(average.procedure.arrays, expected);
}

TEST(GreenmarlPatterns, HopDistanceKeepsItsDoubleBuffer) {
  const CompiledProcedure hops = program("/tests/programs/hop_distance.gm");
  const std::vector<PatternAccess> dist{read(Order::own, 2 * k * N),
                                        read(Order::random, 2 * k * E)};
  std::vector<PatternAccess> declared = dist, final = dist;
  declared.push_back(write(Order::own, k * N + N));  // copy from the second array
  final.push_back(write(Order::own, N));
  expect_arrays(
      hops.declared,
      {begin("r_begin", {read(Order::near, 2 * k * N)}),
       ends("r_node_idx", k * E),
       {"dist", N, false, false, declared},
       {"dist_nxt", N, false, true, {read(Order::own, k * N), write(Order::own, k * N)}}});
  expect_arrays(hops.procedure.arrays,
                {begin("r_begin", {read(Order::near, 2 * k * N)}),
                 ends("r_node_idx", k * E),
                 {"dist", N, false, false, final, "dist"},
                 {"dist_nxt", N, false, true, {write(Order::own, k * N)}, "dist"}});
}

TEST(GreenmarlPatterns, MeanSquareWithACondition) {
  const CompiledProcedure squares = program("/tests/programs/mean_square.gm");
  const std::vector<Expected> expected{
      begin("begin", {read(Order::near, 4 * N)}),
      {"x", N, false, true, {read(Order::own, 2 * N), write(Order::own, N)}}};
  expect_arrays(squares.declared, expected);
  expect_arrays(squares.procedure.arrays, expected);
}

TEST(GreenmarlPatterns, LabelAverageCountsBothBranches) {
  const CompiledProcedure labels = program("/tests/programs/label_average.gm");
  const std::vector<PatternAccess> label{read(Order::own, 2 * k * N), read(Order::random, k * E)};
  std::vector<PatternAccess> final = label;
  final.push_back(write(Order::own, N));
  expect_arrays(
      labels.procedure.arrays,
      {begin("begin", {read(Order::near, 4 * k * N + 4 * N)}),
       ends("node_idx", 2 * k * E),
       begin("r_begin", {read(Order::near, 2 * k * N)}),
       {"label", N, false, false, final, "label"},
       // written three times per iteration: kept, averaged, flipped
       {"label_nxt", N, false, true, {write(Order::own, 3 * k * N)}, "label"},
       {"hub",
        N,
        false,
        true,
        {read(Order::own, k * N), read(Order::random, 2 * k * E), write(Order::own, N)}}});
}

std::vector<ArrayUse> declared(const std::string& body) {
  return compile(with_body(body), "x.gm").declared;
}

TEST(GreenmarlPatterns, SequentialLoopsStream) {
  expect_arrays(declared("For (t: G.Nodes) { t.x = t.Degree(); r.x = 0; }"),
                {begin("begin", {read(Order::stream, 2 * N)}),
                 {"x", N, false, false, {write(Order::stream, N), write(Order::random, N)}}});
}

TEST(GreenmarlPatterns, NeighboursOfOneNodeAndOfNeighbours) {
  expect_arrays(declared("Foreach (w: r.Nbrs) { w.x = 1; }"),
                {begin("begin", {read(Order::random, Formula(2))}),
                 ends("node_idx", deg),
                 {"x", N, false, false, {write(Order::random, deg)}}});
  expect_arrays(
      declared("G.x = 1; Foreach (t: G.Nodes) { Foreach (u: t.Nbrs) { Foreach (v: u.Nbrs) { n += "
               "(Int) v.x; } Foreach (v: t.InNbrs) { n += 1; } } }"),
      {begin("begin", {read(Order::near, 2 * N), read(Order::random, 2 * E)}),
       {"node_idx", E, true, false, {read(Order::stream, E + deg * E)}},
       begin("r_begin", {read(Order::near, 2 * E)}),
       ends("r_node_idx", deg * E),
       {"x", N, false, false, {read(Order::random, deg * E), write(Order::own, N)}}});
}

TEST(GreenmarlPatterns, AWhileLoopsSymbolIsAllOfItsRuns) {
  const Formula k2 = Formula::symbol("k2"), k3 = Formula::symbol("k3");
  expect_arrays(
      declared("While (n > 0) { n--; While (n > 5) { n--; G.x = 1; } } Do { G.x += 1; } While "
               "(Exist(t: G.Nodes){t.x > 5});"),
      {{"x", N, false, false, {read(Order::own, 2 * k3 * N), write(Order::own, k2 * N + k3 * N)}}});
  // The condition of While is evaluated once more than its body.
  expect_arrays(declared("G.x = 9; While (Exist(t: G.Nodes){t.x > 5}) { n++; }"),
                {{"x", N, false, false, {read(Order::own, k * N + N), write(Order::own, N)}}});
}

TEST(GreenmarlPatterns, UnusedPropertiesAreListedUnused) {
  const auto arrays = declared("N_P<Int> y; G.x = 1;");
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[1].name, "y");
  EXPECT_FALSE(arrays[1].pattern.used());
}

}  // namespace
}  // namespace Atoll::greenmarl
