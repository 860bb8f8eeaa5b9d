// The tests' interpreter: values, conversions and expressions. The expected results were derived
// manually from docs/green-marl.md.
#include "greenmarl_interpreter.hpp"

namespace Atoll::greenmarl::oracle {
namespace {

TEST(GreenMarlInterpreter, IntegersWrapRound) {
  expect_values({{"Int", "2147483647 + 1", "-INF"},
                 {"Int", "(-2147483647 - 1) - 1", "INF"},
                 {"Int", "65536 * 65536", "0"},
                 {"Int", "50000 * 50000", "-1794967296"},
                 {"Long", "65536 * 65536", "0"},
                 {"Long", "(Long) 65536 * 65536", "4294967296"},
                 {"Long", "9223372036854775807 + 1", "-INF"},
                 {"Long", "2147483648", "2147483648"},
                 {"Int", "|-2147483647 - 1|", "-INF"},
                 {"Long", "2147483647 + 2147483648", "4294967295"}});
}

TEST(GreenMarlInterpreter, IntegersAreDividedTowardsZero) {
  expect_values({{"Int", "7 / 2", "3"},
                 {"Int", "(-7) / 2", "-3"},
                 {"Int", "7 / (-2)", "-3"},
                 {"Int", "(-7) % 2", "-1"},
                 {"Int", "7 % (-2)", "1"},
                 {"Int", "(-2147483647 - 1) / (-1)", "-INF"},
                 {"Int", "(-2147483647 - 1) % (-1)", "0"},
                 {"Double", "7 / 2", "3"},
                 {"Double", "7 / 2.0", "3.5"},
                 {"Double", "1.0 / 0", "inf"},
                 {"Int", "7 / 0", "stops at 2:10"},
                 {"Long", "7 % G.NumEdges() + 1 % (G.NumNodes() - 6)", "stops at 2:29"}});
}

TEST(GreenMarlInterpreter, OperandsMeet) {
  expect_values({{"Double", "1 + 0.5", "1.5"},
                 {"Double", "(Float) 0.1", "0.10000000149011612"},
                 {"Double", "(Float) 1 / 3", "0.3333333432674408"},
                 {"Double", "1.0 / 3", "0.3333333333333333"},
                 {"Float", "16777216 + (Float) 1", "16777216"},
                 {"Long", "|(False ? 13 : INF)|", "2147483647"},
                 {"Long", "(False ? 13 : INF)", "INF"},
                 {"Long", "Max(r: G.Nodes)(False){(True ? 13 : INF)}", "-2147483648"},
                 {"Double", "16777216 + 1.0", "16777217"},
                 {"Bool", "1 == 1.0", "True"},
                 {"Bool", "2147483648 > 1", "True"},
                 {"Double", "True ? 1 : 0.5", "1"},
                 {"Double", "(True ? 1 : 0.5) / 2", "0.5"}});
}

TEST(GreenMarlInterpreter, Converts) {
  expect_values({{"Int", "2.9", "2"},
                 {"Int", "-2.9", "-2"},
                 {"Int", "3000000000.0", "INF"},
                 {"Int", "-3000000000.0", "-INF"},
                 {"Long", "1e30", "INF"},
                 {"Int", "0.0 / 0.0", "0"},
                 {"Int", "(Long) 2147483647", "INF"},
                 {"Int", "(Long) 2147483647 + 1", "stops at 2:26"},
                 {"Int", "(Int) 3.7 + (Int) (-3.7)", "0"},
                 {"Bool", "(Bool) 3", "True"},
                 {"Bool", "(Bool) 0.0", "False"},
                 {"Int", "(Int) True + (Int) False", "1"},
                 {"Double", "(Long) 9007199254740993", "9007199254740992"},
                 {"Float", "16777217", "16777216"}});
  expect({{"Procedure p(G: Graph; x: Int) { x = 1; x += 2.7; x *= 1.9; }", "x=3"}});
}

TEST(GreenMarlInterpreter, InfinityTakesTheTypeOfWhatItMeets) {
  expect_values({{"Int", "INF", "INF"},
                 {"Int", "INF + 1", "-INF"},
                 {"Long", "-INF", "-INF"},
                 {"Double", "INF", "inf"},
                 {"Float", "-INF", "-inf"},
                 {"Double", "G.NumNodes() == 0 ? 0 : INF", "inf"},
                 {"Long", "G.NumNodes() == 0 ? 0 : INF", "INF"},
                 {"Bool", "INF == 2147483647", "True"},
                 {"Bool", "INF > 1e300", "True"},
                 {"Bool", "2147483648 < INF", "True"}});
  expect({{"Procedure p(G: Graph) : Int { Long l = INF; Return l; }", "Return INF"},
          {"Procedure p(G: Graph) : Int { Long l = -INF; Return l; }", "Return -INF"},
          {"Procedure p(G: Graph) : Long { Int i = INF; Return i; }", "Return 2147483647"},
          {"Procedure p(G: Graph) : Bool { Int i = INF; Return i == INF; }", "Return True"}});
}

TEST(GreenMarlInterpreter, LogicAndComparisons) {
  expect_values({{"Bool", "!(1 < 2)", "False"},
                 {"Bool", "1 <= 1 && 2 >= 3", "False"},
                 {"Bool", "1 > 1 || 2 != 3", "True"},
                 {"Bool", "True == False", "False"},
                 // Unneeded operands aren't evaluated.
                 {"Bool", "False && 1 / 0 == 1", "False"},
                 {"Bool", "True || 1 / 0 == 1", "True"},
                 {"Int", "True ? 5 : 1 / 0", "5"},
                 {"Bool", "True && 1 / 0 == 1", "stops at 2:18"}});
}

TEST(GreenMarlInterpreter, ReductionsOfSomethingAndNothing) {
  expect_values({{"Long", "Sum(n: G.Nodes) { n.Degree() }", "8"},
                 {"Long", "Product(n: G.Nodes)(n.Degree() > 0) { n.Degree() }", "8"},
                 {"Long", "Max(n: G.Nodes) { n.InDegree() }", "3"},
                 {"Long", "Min(n: G.Nodes)(n.Degree() > 0) { n.Degree() }", "1"},
                 {"Long", "Count(n: G.Nodes)(n.Degree() == 1)", "2"},
                 {"Double", "Avg(n: G.Nodes)(n.Degree() > 0) { n.Degree() }", "2"},
                 {"Bool", "All(n: G.Nodes) { n.Degree() > 0 }", "False"},
                 {"Bool", "Exist(n: G.Nodes) { n.Degree() > 3 }", "True"},
                 {"Long", "Sum(n: G.Nodes)(n.Degree() > 9) { n.Degree() }", "0"},
                 {"Int", "Product(n: G.Nodes)(n.Degree() > 9) { 2 }", "1"},
                 {"Int", "Min(n: G.Nodes)(n.Degree() > 9) { 2 }", "INF"},
                 {"Double", "Max(n: G.Nodes)(n.Degree() > 9) { 2.5 }", "-inf"},
                 {"Bool", "All(n: G.Nodes)(n.Degree() > 9) { False }", "True"},
                 {"Bool", "Exist(n: G.Nodes)(n.Degree() > 9) { True }", "False"},
                 {"Double", "Avg(n: G.Nodes)(n.Degree() > 9) { 1 }", "0"},
                 {"Double", "Avg(n: G.Nodes) { n.Degree() }", "1.3333333333333333"},
                 {"Int", "Sum(n: G.Nodes) { 2147483647 }", "-6"},
                 {"Long", "Sum(n: G.Nodes) { Count(m: n.Nbrs)(m > n) }", "6"}});
}

TEST(GreenMarlInterpreter, BuiltInsOfGraphsNodesAndEdges) {
  expect_values({{"Long", "G.NumNodes() * 100 + G.NumEdges()", "608"},
                 {"Long", "Count(n: G.Nodes)(n.HasEdgeTo(n))", "1"},
                 {"Long", "Count(n: G.Nodes)(n.HasEdgeFrom(n) && n.IsNbrFrom(n))", "1"},
                 {"Long", "Sum(n: G.Nodes) { Count(m: G.Nodes)(n.HasEdgeTo(m)) }", "7"},
                 {"Long", "Sum(n: G.Nodes) { Count(m: G.Nodes)(m.HasEdgeFrom(n)) }", "7"},
                 {"Long", "Count(e: G.Edges)(e.FromNode() == e.ToNode())", "1"},
                 {"Long", "Count(e: G.Edges)(e.FromNode() < e.ToNode())", "6"},
                 {"Bool",
                  "All(n: G.Nodes) { n.NumNbrs() == n.OutDegree() && n.NumOutNbrs() == "
                  "n.Degree() && n.NumInNbrs() == n.InDegree() }",
                  "True"},
                 {"Double", "Pow(2, 10) + Log(Exp(1.0)) * 0.5", "1024.5"}});
}

TEST(GreenMarlInterpreter, RandomNumbersAreInTheirRange) {
  const std::string program =
      "Procedure p(G: Graph) : Bool { Bool fine = True; Int i = 0; While (i < 100) {"
      " Double u = Uniform(); Long r = Rand(3); Node n = G.PickRandom(); Node m = "
      "n.PickRandomNbr();"
      " fine &= u >= 0 && u < 1 && r >= 0 && r < 3 && n != NIL;"
      " fine &= m == NIL ? n.Degree() == 0 : n.HasEdgeTo(m); i++; } Return fine; }";
  EXPECT_EQ(answer(program, small_graph()), "Return True");
  EXPECT_TRUE(interpret(parsed(program), {small_graph()}, {}).random);
  EXPECT_FALSE(
      interpret(parsed("Procedure p(G: Graph) : Int { Return 1; }"), {small_graph()}, {}).random);
  expect({{"Procedure p(G: Graph) : Bool { Graph H; Node(H) n = H.PickRandom(); Return n == NIL; }",
           "Return True"},
          {"Procedure p(G: Graph) : Long {\nReturn Rand(0); }", "stops at 2:8"}});
}

TEST(GreenMarlInterpreter, NilIsNoNode) {
  expect({{"Procedure p(G: Graph) : Bool { Node n; Edge e; Return n == NIL && e == NIL; }",
           "Return True"},
          {"Procedure p(G: Graph) : Bool { Node n; Return All(m: G.Nodes) { m < n }; }",
           "Return True"},
          {"Procedure p(G: Graph; a: N_P<Int>) : Int { Node n;\nReturn n.a; }", "stops at 2:8"},
          {"Procedure p(G: Graph; a: N_P<Int>) { Node n;\nn.a = 1; }", "stops at 2:1"},
          {"Procedure p(G: Graph) : Long { Node n;\nReturn n.Degree(); }", "stops at 2:8"},
          {"Procedure p(G: Graph) : Int { Node n; Int i;\nForeach (m: n.Nbrs) i += 1; Return i; }",
           "stops at 2:13"},
          {"Procedure p(G: Graph; S: N_S) { Node n;\nS.Add(n); }", "stops at 2:7"}});
}

TEST(GreenMarlInterpreter, ForeignTextIsNotTaken) {
  EXPECT_THROW(answer("Procedure p(G: Graph) : Int { Int x; Return [$x + 1]; }", small_graph()),
               NotTaken);
  EXPECT_THROW(answer("Procedure p(G: Graph) { Int x; [$x = 1;] :: [x]; }", small_graph()),
               NotTaken);
}

TEST(GreenMarlInterpreter, EndsWhatDoesNotEnd) {
  EXPECT_THROW(static_cast<void>(interpret(parsed("Procedure p(G: Graph) { While (True) { } }"),
                                           {small_graph()}, {}, "", {.steps = 1000})),
               TooLong);
}

}  // namespace
}  // namespace Atoll::greenmarl::oracle
