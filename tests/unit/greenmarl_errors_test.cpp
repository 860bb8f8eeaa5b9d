// Mistakes of names, types and races: each with its place, the way out, and the caret.
#include "greenmarl_support.hpp"

namespace Atoll::greenmarl {
namespace {

struct Mistake {
  const char* body;
  const char* error;
};

void expect_errors(std::initializer_list<Mistake> mistakes) {
  for (const auto& [body, error] : mistakes) EXPECT_EQ(error_of(with_body(body)), error) << body;
}

TEST(GreenmarlErrors, TheCaretStandsBelowThePlace) {
  std::string excerpt;
  error_of(with_body("\t/* ä */ G.x = 1 + y;"), &excerpt);
  EXPECT_EQ(excerpt,
            "   /* ä */ G.x = 1 + y;\n"
            "                     ^");
  error_of(with_body("G.x = " + std::string(100, '1') + ";"), &excerpt);
  EXPECT_EQ(excerpt.substr(excerpt.find('\n')), "\n        ^");
  const std::string far = std::string(200, ' ') + "G.x = y;";
  error_of(with_body(far), &excerpt);
  const std::size_t caret = excerpt.size() - excerpt.find('\n') - 2;
  EXPECT_EQ(excerpt[caret], 'y');
  EXPECT_LE(excerpt.find('\n'), 80U);
}

TEST(GreenmarlErrors, Names) {
  expect_errors({
      {"G.x = y;", "2:7: 'y' is not declared; declare it before it is used"},
      {"y = 1;", "2:1: 'y' is not declared; declare it before it is used"},
      {"G.y = 1;", "2:3: 'y' is not declared; declare it before it is used"},
      {"Int y = y;", "2:9: 'y' is not declared; declare it before it is used"},
      {"{ Int y; } y = 1;", "2:12: 'y' is not declared; declare it before it is used"},
      {"Int y; Bool y;", "2:13: 'y' is declared already, in line 2; choose another name"},
      {"Int x;", "2:5: 'x' is declared already, in line 1; choose another name"},
      {"Foreach (n: G.Nodes) { }", "2:10: 'n' is declared already, in line 1; choose another name"},
      {"G.x = Sum(r: G.Nodes){1};",
       "2:11: 'r' is declared already, in line 1; choose another name"},
      {"G.n = 1;", "2:3: 'n' is no property; declare it: Node_Prop<Double> name;"},
      {"n.x = 1;", "2:1: 'n' is no node; an iterator or a Node is needed here"},
      {"x = 1;", "2:1: 'x' is no variable; assign a property of a node: node.x"},
      {"G = 1;", "2:1: 'G' is no variable; a graph or an iterator can't be assigned"},
      {"For (t: G.Nodes) { t = r; }",
       "2:20: 't' is no variable; a graph or an iterator can't be assigned"},
      {"G.x = x;", "2:7: 'x' is a property, and no node is named; write node.x"},
      {"Double y = G.x;",
       "2:12: the graph 'G' can't stand here to read a property of; name one of its nodes; the "
       "graph stands for each node in G.property = … only"},
      {"Foreach (t: r.Nodes) { }", "2:13: 'r' is not the graph; write G.Nodes"},
      {"Foreach (t: G.Nbrs) { }",
       "2:13: the graph 'G' can't stand here to run over neighbours of; name one of its nodes; "
       "the graph stands for each node in G.property = … only"},
      {"N_P<Int>(H) y;", "2:10: 'H' is not the graph; write G"},
      {"G.x = r.Size();",
       "2:9: there is no built-in 'Size' here; a node has Degree(), OutDegree(), NumNbrs(), "
       "NumOutNbrs(), InDegree() and NumInNbrs()"},
      {"G.x = G.Order();",
       "2:9: there is no built-in 'Order' here; a graph has NumNodes() and NumEdges()"},
      {"G.x = r.Degree(1);", "2:16: Degree() takes no arguments; leave them out"},
  });
  EXPECT_EQ(error_of("Proc p(a: Int) { }"),
            "1:6: a procedure needs a graph; take one: (G: Graph, …)");
  EXPECT_EQ(error_of("Proc p(G: Graph; x: N_P<Int>) { }"),
            "1:18: the output 'x' is never assigned; assign it, or leave it out");
  EXPECT_EQ(error_of("Proc p(G: Graph, G: Int) { }"),
            "1:18: 'G' is declared already, in line 1; choose another name");
}

TEST(GreenmarlErrors, Types) {
  expect_errors({
      {"G.x = True;", "2:7: a Bool can't be 'G.x', a Double; the types have to go together"},
      {"G.x = 1; n = 1.5;", "2:14: a Double can't be 'n', an Int; write (Int) before it"},
      {"Bool b = 1;", "2:10: an Int can't be 'b', a Bool; compare it"},
      {"Bool b = 1.5;", "2:10: a Double can't be 'b', a Bool; compare it"},
      {"Int i = r;", "2:9: a Node can't be 'i', an Int; the types have to go together"},
      {"Node y;", "2:6: a Node variable needs an initial value; write Node x = node;"},
      {"Node y = 3;", "2:10: an Int can't be 'y', a Node; the types have to go together"},
      {"If (n) { }", "2:5: an Int can't be a condition, a Bool; compare it"},
      {"While (r) { }", "2:8: a Node can't be a condition, a Bool; the types have to go together"},
      {"G.x = 1 + True;", "2:9: '+' does not go with an Int and a Bool; it takes two numbers"},
      {"G.x = 1.5 % 2;", "2:11: '%' does not go with a Double and a Double; it takes two integers"},
      {"Bool b = r < 1;",
       "2:12: '<' does not go with a Node and an Int; it takes two numbers, or two of one type"},
      {"Bool b = True < False;",
       "2:15: '<' does not go with a Bool and a Bool; it takes two numbers, or two of one type"},
      {"G.x = -True;", "2:7: a Bool has no negative; a number is needed here"},
      {"G.x = |True|;", "2:7: a Bool has no absolute value; a number is needed here"},
      {"Bool b = !1;", "2:10: an Int has no opposite; '!' takes a Bool"},
      {"Bool b = 1 && True;", "2:10: an Int can't be a condition, a Bool; compare it"},
      {"G.x = True ? 1 : False;",
       "2:12: '?' has to choose between an Int and a Bool; both have to be numbers, or of one "
       "type"},
      {"G.x = (Int) r;",
       "2:7: a Node can't be cast to Int; casts are between Int, Long, Float, Double and Bool"},
      {"n += True;", "2:6: a Bool can't be 'n', an Int; the types have to go together"},
      {"n &= True;", "2:1: '&=' does not go with an Int; it takes a Bool"},
      {"Bool b; b += 1;", "2:9: '+=' does not go with a Bool; it takes a number"},
      {"G.x = Sum(t: G.Nodes){True};", "2:23: Sum of a Bool; its body has to be a number"},
      {"G.x = Sum(t: G.Nodes)(1){1};", "2:23: an Int can't be a condition, a Bool; compare it"},
      {"Bool b = All(t: G.Nodes){1};",
       "2:26: an Int can't be in the body of All, a Bool; compare it"},
      {"n = 3000000000;", "2:5: this number is too large for an Int; declare the target as a Long"},
      {"Float f = 1e39;",
       "2:11: this number is too large for a Float; declare the target as a Double"},
      {"G.x = 99999999999999999999;",
       "2:7: 99999999999999999999 is too large for a Long; write a Double: append .0"},
      {"G.x = 1e999;", "2:7: 1e999 is beyond what a Double holds; write INF or 0.0"},
      {"Return 1;",
       "2:1: this procedure returns nothing; declare what it returns, ( … ) : Int, "
       "or leave the value out"},
  });
  EXPECT_EQ(error_of("Proc p(G: Graph) : Int { Return; }"),
            "1:26: Return needs a value here; return an Int");
  EXPECT_EQ(error_of("Proc p(G: Graph) : Int { If (True) Return 1; }"),
            "1:6: 'p' can end without Return; return an Int at its end");
}

TEST(GreenmarlErrors, Bindings) {
  expect_errors({
      {"n += 1 @ t;",
       "2:10: 't' is no iterator of a loop around this; bind to a Foreach or For that this "
       "stands in"},
      {"Foreach (t: G.Nodes) { Int i = 0; i = 1 @ t; }",
       "2:43: only reductions and deferred assignments are bound with '@'; leave it out"},
      {"Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { n += 1 @ t; n += 1 @ w; } }",
       "2:67: this reduction is bound to two iterators; bind it to one"},
      {"r.x <= 1;", "2:1: this deferred assignment names no loop; add '@ it' with its iterator"},
      {"G.x <= 1;", "2:1: an assignment to all nodes can't be deferred; write ="},
      {"G.x = 1 @ t;", "2:11: an assignment to all nodes is bound to no iterator; leave '@' out"},
  });
}

TEST(GreenmarlErrors, Races) {
  expect_errors({
      {"Foreach (t: G.Nodes) { n = 1; t.x = 2; }",
       "2:24: data race: iterations of the Foreach over 't' assign 'n' in no order; declare it in "
       "the loop, combine with += *= min= max= &= |=, or use For"},
      {"Foreach (t: G.Nodes) { n += 1; n *= 2; t.x = 1; }",
       "2:32: 'n' is combined with += and *= in one Foreach; use one operator, or two variables"},
      {"Foreach (t: G.Nodes) { n += 1; t.x = n; }",
       "2:38: data race: 'n' is read while iterations of the Foreach over 't' combine into it; "
       "read it after the loop, or use For"},
      {"Foreach (t: G.Nodes) { r.x = 1; }",
       "2:24: data race: iterations of the Foreach over 't' may assign 'r.x' of one node; assign "
       "to 't.x' only, or use For"},
      {"Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { w.x = 1; } }",
       "2:46: data race: iterations of the Foreach over 't' may assign 'w.x' of one node; assign "
       "to 't.x' only, or use For"},
      {"Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { t.x = 1; } }",
       "2:46: data race: iterations of the Foreach over 'w' may assign 't.x' of one node; assign "
       "to 'w.x' only, or use For"},
      {"Foreach (t: G.Nodes) { t.x = Sum(w: t.Nbrs){w.x}; }",
       "2:45: data race: 'x' is written as 't.x' and read as 'w.x' in one Foreach; defer the "
       "assignment: t.x <= … @ t"},
      {"Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { t.x += 1; If (t.x > 2) n += 1; } }",
       "2:60: data race: 'x' is written as 't.x' and read as 't.x' in one Foreach; defer the "
       "assignment: w.x <= … @ w"},
      {"Foreach (t: G.Nodes) { w(t); }",
       "2:24: calling 'w' is not supported yet; "
       "docs/green-marl.md lists what is"},
      {"Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { w.x += 1; } }",
       "2:46: combining into 'w.x', a property of another node, is not supported yet; let each "
       "node combine what its InNbrs have, or use For"},
      {"Foreach (t: G.Nodes) { t.x <= 1 @ t; t.x = 2; }",
       "2:38: 'x' is assigned in two ways in the loop over 't'; defer all of its assignments "
       "until this loop ends: <= … @ t"},
      {"Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { w.x <= 1 @ w; } }",
       "2:46: data race: iterations of the Foreach over 't' may assign 'w.x' of one node; assign "
       "to 't.x' only, or use For"},
      {"Foreach (t: G.Nodes) { For (w: t.Nbrs) { t.x <= 1 @ w; } }",
       "2:42: deferring until the end of an inner loop is not supported yet; bind it to the "
       "outermost Foreach"},
      {"Foreach (t: G.Nodes) { Return; }",
       "2:24: Return can't stand in a Foreach: its iterations have no order; use For, or return "
       "after the loop"},
  });
}

TEST(GreenmarlErrors, WhatIsNoRace) {
  for (const char* body : {
           "For (t: G.Nodes) { n = n + 1; r.x = n; t.x = r.x; }",
           "Foreach (t: G.Nodes) { Int i = 0; For (w: t.Nbrs) { i = i + 1; } t.x = i; }",
           "Foreach (t: G.Nodes) { t.x = 1; t.x = t.x + 1; t.x += 2; }",
           "Foreach (t: G.Nodes) { t.x = 0; Foreach (w: t.Nbrs) { t.x += w.Degree(); } }",
           "Foreach (w: r.Nbrs) { w.x = 1; n += 1; n += 2; }",
           "G.x = 1; G.x = G.x + G.Degree();",
           "Foreach (t: G.Nodes) { t.x <= Sum(w: t.Nbrs){w.x} @ t; }",
           "For (t: G.Nodes) { For (w: t.Nbrs) { w.x <= t.x @ t; } }",
           "For (t: G.Nodes) { If (t.x > 1) Return; t.x = 1; }",
       })
    EXPECT_EQ(error_of(with_body(body)), "") << body;
}

TEST(GreenmarlErrors, Files) {
  const auto message = [](const std::string& path) -> std::string {
    try {
      static_cast<void>(compile_file(path));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input);
      return error.what();
    }
    return "";
  };
  const std::string way_out = ": can't be read; name a Green-Marl program, such as pagerank.gm";
  EXPECT_EQ(message("no/such.gm"), "no/such.gm" + way_out);
  EXPECT_EQ(message("/"), "/: is a directory; name a Green-Marl program, such as pagerank.gm");
  EXPECT_EQ(message("/dev/zero"), "/dev/zero: is longer than 16 MiB; name a Green-Marl program");
}

}  // namespace
}  // namespace Atoll::greenmarl
