// Errors about undefined names, and names of the wrong kind.
#include "greenmarl_mistakes.hpp"

namespace Atoll::greenmarl {
namespace {

TEST(GreenmarlMistakes, UndeclaredNames) {
  expect_said({
      {"G.x = y;", {"2:7: 'y' is not declared; declare it before it is used"}},
      {"y = 1;", {"2:1: 'y' is not declared; declare it before it is used"}},
      {"n = e.len;", {"2:5: 'e' is not declared; declare it before it is used"}},
      {"G.y = 1;", {"2:3: 'y' is no property; declare it: Node_Prop<Double> name;"}},
      {"r.y = 1;", {"2:3: 'y' is no property; declare it: Node_Prop<Double> name;"}},
      {"n = r.y.z;", {"2:7: 'y' is no property; declare it: Node_Prop<Double> name;"}},
      {"Int y = y;", {"2:9: 'y' is not declared; declare it before it is used"}},
      {"{ Int y; } y = 1;", {"2:12: 'y' is not declared; declare it before it is used"}},
      {"If (n > 1) { Int y = 2; } n = y;",
       {"2:31: 'y' is not declared; declare it before it is used"}},
      {"n = y; n = y + 1; y = 2;", {"2:5: 'y' is not declared; declare it before it is used"}},
      {"r.y = 1; n = r.y; G.y = 2;",
       {"2:3: 'y' is no property; declare it: Node_Prop<Double> name;"}},
      {"Int y = z; n = y;", {"2:9: 'z' is not declared; declare it before it is used"}},
      {"Node y = z; y.x = 1;", {"2:10: 'z' is not declared; declare it before it is used"}},
      {"b = true; r = nil;",
       {"2:5: 'true' is not declared; the keyword is written True",
        "2:15: 'nil' is not declared; the keyword is written NIL"}},
      {"Foreach (t: u.Items) { }", {"2:13: 'u' is not declared; declare it before it is used"}},
      {"m[y] = 1;", {"2:3: 'y' is not declared; declare it before it is used"}},
      {"s.Add(y);", {"2:7: 'y' is not declared; declare it before it is used"}},
      {"y.Add(r);", {"2:1: 'y' is not declared; declare it before it is used"}},
  });
}

TEST(GreenmarlMistakes, MisspeltNames) {
  const auto said = [](const std::string& declared, const std::string& used) {
    return "Procedure main(G: Graph, count: Int, r: Node; " + declared + ": N_P<Int>(G)) { G." +
           declared + " = 0; " + used + " }";
  };
  expect_said({
      {said("length", "count = r.lenght;"),
       {"1:94: 'lenght' is no property; did you mean 'length'?"}},
      {said("length", "G.lengths = 1;"),
       {"1:86: 'lengths' is no property; did you mean 'length'?"}},
      {said("length", "r.length = cuont;"),
       {"1:95: 'cuont' is not declared; did you mean 'count'?"}},
      {said("length", "r.length = total;"),
       {"1:95: 'total' is not declared; declare it before it is used"}},
      {said("length", "count = G.NumNode();"),
       {"1:94: a Graph has no 'NumNode'; did you mean 'NumNodes'?"}},
      {said("length", "count = main2(G);"),
       {"1:92: there is no procedure 'main2' in this file; did you mean 'main'?"}},
      {said("length", "Foreach (node: G.Nodes) count += 1 @ nodes;"),
       {"1:121: 'nodes' is no iterator of a loop around this; did you mean 'node'?"}},
      {said("length", "Node(GG) g;"), {"1:89: 'GG' is not declared; declare it before it is used"}},
  });
}

// Only the first error of a statement is reported. The rest is checked as if the statement were
// correct.
TEST(GreenmarlMistakes, OneMistakeHasOneMessage) {
  expect_said({
      {"Bool c = Max(w: r.Nbrs){True}; n = c ? 1 : 2;",
       {"2:25: Max of a Bool; its body has to be a number, a Node or an Edge"}},
      {"Int a = Sum(w: r.Nbrs){w.y}; n = a + a;",
       {"2:26: 'y' is no property; declare it: Node_Prop<Double> name;"}},
      {"If (Sum(w: r.Nbrs){w.y} > 1) { G.x = 0; Return; }",
       {"2:22: 'y' is no property; declare it: Node_Prop<Double> name;"}},
      {"For (t: G.Nodes)(Count(w: t.Nbrs)(w.y > 1) > 1) { G.x = 0; Return; }",
       {"2:37: 'y' is no property; declare it: Node_Prop<Double> name;"}},
      {"While (Exist(w: r.Nbrs){w.y > 1}) n += 1; Int w; Return;",
       {"2:27: 'y' is no property; declare it: Node_Prop<Double> name;"}},
      {"n = r.y; G.y = 2; [ f() ] :: [G.y]; Foreach (t: G.Nodes) t.y = 1;",
       {"2:7: 'y' is no property; declare it: Node_Prop<Double> name;"}},
  });
}

TEST(GreenmarlMistakes, NamesThatAreTaken) {
  expect_said({
      {"Int y; Bool y;", {"2:13: 'y' is declared already, in line 2; choose another name"}},
      {"Int n;", {"2:5: 'n' is declared already, in line 1; choose another name"}},
      {"N_P<Int> x;", {"2:10: 'x' is declared already, in line 1; choose another name"}},
      {"Foreach (n: G.Nodes) { }",
       {"2:10: 'n' is declared already, in line 1; choose another name"}},
      {"G.x = Sum(r: G.Nodes){1};",
       {"2:11: 'r' is declared already, in line 1; choose another name"}},
      {"Foreach (t: G.Nodes) { Int t = 1; }",
       {"2:28: 't' is declared already, in line 2; choose another name"}},
      {"Foreach (t: G.Nodes) Foreach (t: G.Nodes) n += 1;",
       {"2:31: 't' is declared already, in line 2; choose another name"}},
      {"InBFS (r: G.Nodes From r) { }",
       {"2:8: 'r' is declared already, in line 1; choose another name"}},
  });
}

TEST(GreenmarlMistakes, NamesOfAnotherKind) {
  expect_said({
      {"x = 1;", {"2:1: 'x' is a property, and no node is named; write node.x"}},
      {"n = x;", {"2:5: 'x' is a property, and no node is named; write node.x"}},
      {"n = len;", {"2:5: 'len' is a property, and no edge is named; write edge.len"}},
      {"n.x = 1;", {"2:1: 'n' is no node or edge; an iterator, a Node or an Edge is needed here"}},
      {"G = 1;", {"2:1: 'G' is no variable; a graph, an iterator or a map can't be assigned"}},
      {"n = G;",
       {"2:5: the graph 'G' can't stand here as a value; name one of its nodes; the graph stands "
        "for each node in G.property = … only"}},
      {"m = 1;", {"2:1: 'm' is no variable; a graph, an iterator or a map can't be assigned"}},
      {"n = s;",
       {"2:5: 's', a Node_Set, can't stand here as a value; call a built-in of it, such as "
        "Size()"}},
      {"n = m;",
       {"2:5: 'm', a Map<Node, Int>, can't stand here as a value; call a built-in of it, such as "
        "Size()"}},
      {"n = q.x;", {"2:5: 'q' is no node or edge; an iterator, a Node or an Edge is needed here"}},
      {"n = p;", {"2:5: 'p' is not declared; declare it before it is used"}},
      {"For (t: G.Nodes) { t = r; }",
       {"2:20: 't' is no variable; a graph, an iterator or a map can't be assigned"}},
      {"Double y = G.x;",
       {"2:12: the graph 'G' can't stand here to read a property of; name one of its nodes; the "
        "graph stands for each node in G.property = … only"}},
      {"n = s.Size;", {"2:7: 'Size' is a built-in, which is called; write Size()"}},
      {"n = r.Degree;", {"2:7: 'Degree' is a built-in, which is called; write Degree()"}},
      {"n = G.NumNodes;", {"2:7: 'NumNodes' is a built-in, which is called; write NumNodes()"}},
      {"n = r.len;", {"2:7: 'len' is a property of edges; name an edge: Edge(n), or n.ToEdge()"}},
      {"r.len = 1;", {"2:3: 'len' is a property of edges; name an edge: Edge(n), or n.ToEdge()"}},
      {"Edge e; n = e.x;",
       {"2:15: 'x' is a property of nodes; name a node: e.FromNode() or e.ToNode()"}},
      {"n = r.x.y;",
       {"2:5: a Double has no properties; an iterator, a Node or an Edge is needed here"}},
      {"r.x.y = 1;",
       {"2:1: a Double has no properties; an iterator, a Node or an Edge is needed here"}},
      {"n = (1).x;",
       {"2:6: an Int has no properties; an iterator, a Node or an Edge is needed here"}},
      {"n[1] = 2;", {"2:1: only a Map has entries [key]; declare it: Map<Int, Double> name;"}},
      {"n = r[1];", {"2:5: only a Map has entries [key]; declare it: Map<Int, Double> name;"}},
      {"r.x[1] = 2;", {"2:1: only a Map has entries [key]; declare it: Map<Int, Double> name;"}},
  });
}

TEST(GreenmarlMistakes, Graphs) {
  expect_said({
      {"N_P<Int>(H) y;", {"2:10: 'H' is not declared; declare it before it is used"}},
      {"N_P<Int>(n) y;", {"2:10: 'n' is no graph; write G"}},
      {"Node(r) y;", {"2:6: 'r' is no graph; write G"}},
      {"Graph H; N_P<Int> y;",
       {"2:10: there are several graphs that this Node_Prop<Int> may be of; write its graph behind "
        "it: "
        "Node_Prop<Int>(G)"}},
      {"Graph H; Node y;",
       {"2:10: there are several graphs that this Node may be of; write its graph behind it: "
        "Node(G)"}},
      {"Graph H; Node(H) y; y.x = 1;", {"2:23: 'x' is a property of another graph; it is of 'G'"}},
      {"Graph H; Node(H) y = r;",
       {"2:22: this Node is of another graph than 'y'; take one of the same graph"}},
      {"Graph H; N_P<Int>(H) y; G.y = 1;", {"2:27: 'y' is a property of another graph; write H.y"}},
      {"Graph H; n = Sum(t: H.Nodes){t.x};",
       {"2:32: 'x' is a property of another graph; it is of 'G'"}},
  });
}

}  // namespace
}  // namespace Atoll::greenmarl
