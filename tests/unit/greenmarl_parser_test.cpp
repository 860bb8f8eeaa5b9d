// The tree of a program: printed and parsed again it is the same; precedence; what the grammar
// refuses.
#include "greenmarl/parser.hpp"

#include <filesystem>

#include "greenmarl_support.hpp"

namespace Atoll::greenmarl {
namespace {

ast::Procedure tree(const std::string& text) {
  const Source source{"x.gm", text};
  return parse(source);
}

std::string expression(const std::string& text) {
  const auto procedure = tree("Proc p(G: Graph) { y = " + text + "; }");
  return ast::print(procedure.body.at(0).value.at(0));
}

TEST(GreenmarlParser, RoundTrip) {
  namespace fs = std::filesystem;
  int programs = 0;
  for (const char* folder : {"/apps", "/tests/programs"})
    for (const auto& entry : fs::directory_iterator(std::string(ATOLL_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".gm") continue;
      const ast::Procedure first = tree(read_file(entry.path()));
      const std::string printed = ast::print(first);
      EXPECT_EQ(tree(printed), first) << printed;
      EXPECT_EQ(ast::print(tree(printed)), printed);
      ++programs;
    }
  EXPECT_GE(programs, 6);
}

TEST(GreenmarlParser, EqualTreesAreEqualPrograms) {
  const std::string text = with_body("G.x = 1;");
  EXPECT_EQ(tree(text), tree("// moved down\n\n" + text));
  EXPECT_NE(tree(text), tree(with_body("G.x = 2;")));
}

TEST(GreenmarlParser, Precedence) {
  EXPECT_EQ(expression("a + b * c - d"), "((a + (b * c)) - d)");
  EXPECT_EQ(expression("a / b % c * d"), "(((a / b) % c) * d)");
  EXPECT_EQ(expression("-a * b"), "((-a) * b)");
  EXPECT_EQ(expression("!a && b Or c == d < e"), "(((!a) && b) || (c == (d < e)))");
  EXPECT_EQ(expression("a ? b : c ? d : e"), "(a ? b : (c ? d : e))");
  EXPECT_EQ(expression("(Int) a + b"), "(((Int) a) + b)");
  EXPECT_EQ(expression("| a - |b| |"), "|(a - |b|)|");
  EXPECT_EQ(expression("+INF"), "INF");
  EXPECT_EQ(expression("-INF"), "(-INF)");
  EXPECT_EQ(expression("1 - Sum(w: t.InNbrs)(w.a > 1){w.b} / G.NumNodes()"),
            "(1 - (Sum(w: t.InNbrs)((w.a > 1)){w.b} / G.NumNodes()))");
}

TEST(GreenmarlParser, ParametersShareTypes) {
  const auto procedure =
      tree("Procedure p(G: Graph, a, b: Double, c: Int; d, e: N_P<Bool>) : Node { }");
  ASSERT_EQ(procedure.inputs.size(), 4U);
  EXPECT_EQ(procedure.inputs[2].name.text, "b");
  EXPECT_EQ(procedure.inputs[2].type, Type::float64);
  EXPECT_EQ(procedure.inputs[3].type, Type::int32);
  ASSERT_EQ(procedure.outputs.size(), 2U);
  EXPECT_EQ(procedure.outputs[1].type, Type::boolean);
  EXPECT_EQ(procedure.returns, Type::node);
}

TEST(GreenmarlParser, ElseBelongsToTheNearestIf) {
  const auto procedure = tree("Proc p(G: Graph) { If (a) If (b) c = 1; Else c = 2; }");
  EXPECT_TRUE(procedure.body.at(0).otherwise.empty());
  EXPECT_EQ(procedure.body.at(0).body.at(0).otherwise.size(), 1U);
}

struct Refused {
  const char* body;
  const char* error;
};

TEST(GreenmarlParser, SyntaxErrorsSayWhatWasExpected) {
  for (const auto& [body, error] : std::initializer_list<Refused>{
           {"Int a = ;", "2:9: ';' can't stand here; expected an expression"},
           {"Int a", "3:1: '}' can't stand here; expected ';' after a declaration"},
           {"Int For;",
            "2:5: 'For' can't stand here; expected a name for a variable, not a keyword"},
           {"Int a, b = 1;",
            "2:10: an initial value for several variables; declare them one by one"},
           {"G.x + 1;",
            "2:5: '+' can't stand here; expected an assignment: = += *= ++ -- min= max= &= |= or "
            "<="},
           {"Foreach (t: G.Leaves) { }",
            "2:15: nothing runs over 'Leaves'; write Nodes, Nbrs, OutNbrs or InNbrs"},
           {"Foreach t: G.Nodes { }", "2:9: 't' can't stand here; expected '(' before an iterator"},
           {"Do { } While (True)", "3:1: '}' can't stand here; expected ';' after Do … While (…)"},
           {"Return Count(t: G.Nodes){True};",
            "2:25: '{' can't stand here; expected no body: Count(it: …)(condition)"},
           {"n = Sum(t: G.Nodes);",
            "2:20: ';' can't stand here; expected '{' before the body of Sum"},
           {"n = ||n||;", "2:5: '||' can't stand here; write |e| within |…| as |(|e|)|"},
           {"Else { }", "2:1: 'Else' can't stand here; expected a statement"},
           {"{",
            "4:1: the end of the program can't stand here; expected '}' at the end of a "
            "block"},
       })
    EXPECT_EQ(error_of(with_body(body)), error) << body;
  EXPECT_EQ(error_of(with_body("n = 1 $ 2;")),
            "2:7: '$' means nothing here; a program is ASCII text outside of comments");
  EXPECT_EQ(error_of("\n\x01"),
            "2:1: the byte 0x01 means nothing here; a program is ASCII text outside of comments");
  EXPECT_EQ(error_of(""),
            "1:1: the end of the program can't stand here; expected 'Procedure' at "
            "the start of a program");
  EXPECT_EQ(error_of("Procedure p(G) { }"),
            "1:14: ')' can't stand here; expected ':' between a parameter and its type");
  EXPECT_EQ(error_of("Procedure p(G: Graph) { } x"),
            "1:27: 'x' can't stand here; expected the end of the program after the procedure");
}

TEST(GreenmarlParser, WhatIsNotSupportedYetIsNamed) {
  for (const auto& [body, construct] : std::initializer_list<Refused>{
           {"InBFS (v: G.Nodes From r) { }", "2:1: InBFS"},
           {"InDFS (v: G.Nodes From r) { }", "2:1: InDFS"},
           {"Node_Set(G) s;", "2:1: Node_Set"},
           {"N_O(G) s;", "2:1: N_O"},
           {"Node_Seq s;", "2:1: Node_Seq"},
           {"Collection<Node_Set> c;", "2:1: Collection"},
           {"Map<Node, Int> m;", "2:1: Map"},
           {"Edge(G) e;", "2:1: Edge"},
           {"E_P<Int>(G) e;", "2:1: E_P"},
           {"Node_Prop<Node>(G) q;", "2:11: a property of type Node"},
           {"Node_Prop<Edge>(G) q;", "2:11: Edge"},
           {"N_P<Int> q = 1;", "2:12: an initial value of a property"},
           {"Foreach (e: G.Edges) { }", "2:15: running over Edges"},
           {"Foreach (u: r.UpNbrs) { }", "2:15: running over UpNbrs"},
           {"Foreach (u: r.CommonNbrs) { }", "2:15: running over CommonNbrs"},
           {"Foreach (u: s.Items) { }", "2:15: running over Items"},
           {"Foreach (u: G^.Nodes) { }", "2:14: the transposed graph ^"},
           {"<n; r> min= <1; r>;", "2:1: assigning several targets at once, <a; b> min= <x; y>,"},
           {"[ printf($n); ]", "2:1: a block of foreign code [ … ]"},
           {"foo(G);", "2:1: calling 'foo'"},
           {"s.Add(r);", "2:1: calling 's.Add'"},
           {"m[r] = 1;", "2:1: assigning to a Map"},
           {"n = m[r];", "2:5: reading a Map"},
           {"n = Uniform();", "2:5: calling 'Uniform'"},
           {"n = NIL;", "2:5: NIL"},
           {"n = Edge(r).w;", "2:5: Edge(…)"},
           {"n = r.parent.x;", "2:13: reaching on from a property or a call with '.'"},
           {"n = G.PickRandom();", "2:7: PickRandom()"},
           {"n = r.HasEdgeTo(r);", "2:7: HasEdgeTo()"},
           {"n <= 1;", "2:1: deferred assignment to a variable"},
           {"Foreach (t: G.Nodes) { N_P<Int> y; }",
            "2:24: a property declared inside Foreach or For"},
       }) {
    const std::string error = error_of(with_body(body));
    EXPECT_TRUE(error.starts_with(std::string(construct) + " is not supported yet; ")) << error;
  }
  EXPECT_TRUE(error_of("Local Procedure p(G: Graph) { }")
                  .starts_with("1:1: a Local procedure is not supported yet"));
  EXPECT_TRUE(error_of("Proc p(G: Graph) { } Proc q(G: Graph) { }")
                  .starts_with("1:22: a second procedure in a file is not supported yet"));
  EXPECT_TRUE(error_of("Proc p(G: Graph, H: Graph) { }")
                  .starts_with("1:18: a second graph is not supported yet"));
  EXPECT_TRUE(error_of("Proc p(G: Graph, q: N_P<Int>) { }")
                  .starts_with("1:18: a property as input is not supported yet"));
  EXPECT_TRUE(error_of("Proc p(G: Graph; q: Int) { }")
                  .starts_with("1:18: an output that isn't a property is not supported yet"));
  EXPECT_TRUE(error_of("Proc p(G: Graph, s: Node_Set) { }")
                  .starts_with("1:21: Node_Set is not supported yet"));
}

TEST(GreenmarlParser, DeepNestingIsAnError) {
  const auto nested = [](const std::string& open, const std::string& core, const std::string& close,
                         int levels) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += open;
    text += core;
    for (int i = 0; i < levels; ++i) text += close;
    return text;
  };
  EXPECT_EQ(error_of(with_body("G.x = " + nested("(", "1", ")", 100) + ";")), "");
  for (const int levels : {250, 50000}) {
    for (const std::string& body :
         {"n = " + nested("(", "1", ")", levels) + ";",
          "n = " + nested("- ", "1", "", levels) + ";",
          "n = " + nested("True ? 1 : ", "1", "", levels) + ";", nested("{", "", "}", levels),
          nested("If (True) ", "n = 1;", "", levels),
          "n = " + nested("Sum(t: G.Nodes){", "1", "}", levels) + ";"}) {
      const std::string error = error_of(with_body(body));
      EXPECT_NE(error.find("nested too deeply; at most 200 levels"), std::string::npos) << error;
    }
    // A chain is as deep as it is long: the tree leans to the left.
    const std::string error = error_of(with_body("n = 1" + nested(" + 1", "", "", levels) + ";"));
    EXPECT_NE(error.find("this expression is too long"), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace Atoll::greenmarl
