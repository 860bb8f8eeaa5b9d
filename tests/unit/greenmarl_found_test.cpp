// Compiler bugs found by random programs, each reduced to a small program.
#include <fmt/format.h>

#include "greenmarl_support.hpp"

namespace Atoll::greenmarl {
namespace {

TEST(GreenmarlFound, PropertiesDeclaredInALoopAndNotUsed) {
  EXPECT_EQ(error_of("Procedure p(G: Graph) : Long { For (n: G.Nodes) { N_P<Float> q; } "
                     "Return 4; }"),
            "");
}

TEST(GreenmarlFound, WhatACallReturnsIsReturned) {
  EXPECT_EQ(error_of("Local f(i: Int) : Int { If (i > 1) Return i; Return 2 * i; }\n"
                     "Local g(i: Int) : Int { Return f(f(i)); }\n"
                     "Procedure p(G: Graph) : Double { Return g(3) + g(4); }"),
            "");
}

TEST(GreenmarlFound, AbsoluteValuesOfAbsoluteValuesArePrinted) {
  const auto tree = [](const std::string& text) {
    const Source source{"x.gm", text};
    Diagnostics diagnostics(source);
    ast::Module module = parse(diagnostics);
    EXPECT_FALSE(diagnostics.failed()) << text;
    return module;
  };
  const ast::Module module = tree("Procedure p(G: Graph, i: Int) : Int { Return |(|i|)|; }");
  EXPECT_EQ(tree(ast::print(module)), module);
}

TEST(GreenmarlFound, EachIterationOverNeighboursHasAnEdgeOfItsOwn) {
  for (const char* const range : {"Nbrs", "InNbrs"})
    EXPECT_EQ(
        diagnostics_of(fmt::format(
            "Procedure p(G: Graph; x: E_P<Long>) {{ Foreach (n: G.Nodes) {{ Foreach (m: n.{}) "
            "{{ Edge e = m.ToEdge(); e.x = m.Degree(); Edge(m).x += 1; }} }} }}",
            range)),
        std::vector<std::string>{});
}

// The loop over a declared graph once iterated over the nodes of the other graph.
TEST(GreenmarlFound, AGraphThatIsDeclaredHasNothingToRunOver) {
  const Stage stage(
      "Procedure p(G: Graph; x: Long, y: Node_Prop<Int>(G)) { Graph H; N_P<Int>(H) q; Node(H) r;"
      " H.q = 3; Foreach (e: H.Edges) { x += 1; } InBFS (n: H.Nodes From r) { n.q = 2; }"
      " x += H.NumNodes() + H.NumEdges() + Sum(n: H.Nodes) { n.q };"
      " If (H.PickRandom() == NIL) x += 1; }");
  for (const char* const word : {"Nodes", "Edges", "InBFS"})
    EXPECT_EQ(stage.text().find(word), std::string::npos) << stage.text();
}

TEST(GreenmarlFound, GroupsOfVariablesOfOneAndOfAllIterations) {
  EXPECT_EQ(diagnostics_of("Procedure p(G: Graph; x: Long) {\nForeach (n: G.Nodes) {\nNode m;\n"
                           "<x; m> min= <n.Degree(); n>;\n} }"),
            std::vector<std::string>{
                "4:1: 'm' is of one iteration of the Foreach over 'n', and is assigned together "
                "with what is of all; declare all of them in the loop, or all before it"});
}

}  // namespace
}  // namespace Atoll::greenmarl
