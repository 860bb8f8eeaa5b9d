// Errors in calls of built-ins and procedures, and in procedures.
#include "greenmarl_mistakes.hpp"

namespace Atoll::greenmarl {
namespace {

TEST(GreenmarlMistakes, BuiltIns) {
  expect_said({
      {"n = r.Size();",
       {"2:7: a Node has no 'Size'; it has OutDegree(), InDegree(), HasEdgeTo(), HasEdgeFrom(), "
        "PickRandomNbr()"}},
      {"n = r.Degre();", {"2:7: a Node has no 'Degre'; did you mean 'Degree'?"}},
      {"n = G.Degree();",
       {"2:7: a Graph has no 'Degree'; it has NumNodes(), NumEdges(), PickRandom()"}},
      {"n = s.Degree();",
       {"2:7: a Node_Set has no 'Degree'; it has Add(), Remove(), Has(), Union(), Intersect(), "
        "Complement(), IsSubsetOf(), Size(), Clear()"}},
      {"n = m.Degree();",
       {"2:7: a Map has no 'Degree'; it has Size(), Clear(), HasKey(), HasMinValue(), "
        "HasMaxValue(), GetMinKey(), GetMaxKey(), GetMinValue(), GetMaxValue(), Remove()"}},
      {"n = n.Degree();",
       {"2:5: 'n' is no node or edge; an iterator, a Node or an Edge is needed here"}},
      {"n = r.ToNode();",
       {"2:7: a Node has no 'ToNode'; it has OutDegree(), InDegree(), HasEdgeTo(), HasEdgeFrom(), "
        "PickRandomNbr()"}},
      {"Edge e; n = e.Degree();", {"2:15: an Edge has no 'Degree'; it has FromNode(), ToNode()"}},
      {"s.Push(r);",
       {"2:3: a Node_Set has no 'Push'; it has Add(), Remove(), Has(), Union(), Intersect(), "
        "Complement(), IsSubsetOf(), Size(), Clear()"}},
      {"q.Add(r);",
       {"2:3: a Node_Seq has no 'Add'; it has PushBack(), PushFront(), PopBack(), PopFront(), "
        "Size(), Clear()"}},
      {"b = q.Has(r);",
       {"2:7: a Node_Seq has no 'Has'; it has PushBack(), PushFront(), PopBack(), PopFront(), "
        "Size(), Clear()"}},
      {"r = s.Pop();",
       {"2:7: a Node_Set has no 'Pop'; it has Add(), Remove(), Has(), Union(), Intersect(), "
        "Complement(), IsSubsetOf(), Size(), Clear()"}},
      {"Collection<N_S> c; c.Add(s);",
       {"2:22: a Collection has no 'Add'; it has PushBack(), PopBack(), Size(), Clear()"}},
      {"n = s.Add(r);", {"2:7: Add() has no value; call it as a statement of its own"}},
      {"Collection<N_S> c; n = c.PopBack();",
       {"2:26: PopBack() of a collection of sets gives a set, not a value; take it into a variable "
        "of "
        "its type: Node_Set s = …"}},
      {"n = s.Clear();", {"2:7: Clear() has no value; call it as a statement of its own"}},
      {"s.Size();",
       {"2:1: warning: this call does nothing, since its value isn't used; leave it out, or use "
        "its value"}},
      {"n = Foo(1);",
       {"2:5: there is no procedure 'Foo' in this file; define it, or call Uniform(), Rand(), "
        "Log(), Exp(), Pow()"}},
      {"n = Degree();",
       {"2:5: there is no procedure 'Degree' in this file; call it on something: x.Degree()"}},
      {"n = uniform();",
       {"2:5: there is no procedure 'uniform' in this file; did you mean 'Uniform'?"}},
  });
}

TEST(GreenmarlMistakes, Arguments) {
  expect_said({
      {"n = r.Degree(1);", {"2:14: Degree() takes no arguments; leave the others out"}},
      {"b = r.HasEdgeTo();", {"2:7: HasEdgeTo() takes one argument; add what is missing"}},
      {"b = r.HasEdgeTo(n);",
       {"2:17: an Int can't be an argument of HasEdgeTo(), a Node; the types have to go together"}},
      {"b = r.HasEdgeTo(r, r);", {"2:20: HasEdgeTo() takes one argument; leave the others out"}},
      {"s.Add();", {"2:3: Add() takes one argument; add what is missing"}},
      {"s.Add(n);",
       {"2:7: an Int can't be an argument of Add(), a Node; the types have to go together"}},
      {"s.Union(r);",
       {"2:9: this can't be an argument of Union(), a Node_Set; name a collection of the same "
        "type and graph"}},
      {"s.Union(q);",
       {"2:9: this can't be an argument of Union(), a Node_Set; name a collection of the same "
        "type and graph"}},
      {"m.Remove(n);",
       {"2:10: an Int can't be an argument of Remove(), a Node; the types have to go together"}},
      {"b = m.HasKey(1);",
       {"2:14: an Int can't be an argument of HasKey(), a Node; the types have to go together"}},
      {"n = m.GetMinKey();", {"2:5: a Node can't be 'n', an Int; the types have to go together"}},
      {"r = m.GetMinValue();", {"2:5: an Int can't be 'r', a Node; the types have to go together"}},
      {"n = q.PopBack();", {"2:5: a Node can't be 'n', an Int; the types have to go together"}},
      {"n = Log(b);",
       {"2:9: a Bool can't be an argument of Log(), a Double; the types have to go together"}},
      {"n = Pow(1);", {"2:5: Pow() takes two arguments; add what is missing"}},
      {"n = Uniform(1);", {"2:13: Uniform() takes no arguments; leave the others out"}},
      {"n = Rand();", {"2:5: Rand() takes one argument; add what is missing"}},
  });
}

TEST(GreenmarlMistakes, PopAsAValue) {
  expect_said({
      {"n = s.PopBack();",
       {"2:7: a Node_Set has no 'PopBack'; it has Add(), Remove(), Has(), Union(), Intersect(), "
        "Complement(), IsSubsetOf(), Size(), Clear()"}},
      {"Collection<N_S> c; N_S t = c.PopBack(1);",
       {"2:38: PopBack() takes no arguments; leave the others out"}},
      {"Collection<N_S> c; N_O t = c.PopBack();",
       {"2:28: this can't be 't', a Node_Order; name a collection of the same type and graph"}},
      {"r = q.PopBack(r);", {"2:15: PopBack() takes no arguments; leave the others out"}},
      {"b = q.PopBack();", {"2:5: a Node can't be 'b', a Bool; the types have to go together"}},
      {"n = 1 + q.PopBack();",
       {"2:7: '+' does not go with an Int and a Node; it takes two numbers"}},
      {"Foreach (t: q.PopBack().Items) { n += 1; }",
       {"2:13: 'q.PopBack()' is no collection; Items are what a collection holds"}},
  });
}

TEST(GreenmarlMistakes, Edges) {
  expect_said({
      {"Edge e = r.ToEdge();",
       {"2:10: no edge led to 'r'; the iterator of a loop over Nbrs, InNbrs, UpNbrs or DownNbrs "
        "has an edge"}},
      {"Edge e; Edge f = e.ToEdge();",
       {"2:18: no edge led to 'e'; the iterator of a loop over Nbrs, InNbrs, UpNbrs or DownNbrs "
        "has an edge"}},
      {"Foreach (t: G.Nodes) { t.x = Edge(t).len; }",
       {"2:35: no edge led to 't'; the iterator of a loop over Nbrs, InNbrs, UpNbrs or DownNbrs "
        "has an edge"}},
      {"Foreach (t: r.Nbrs) { t.x = Edge(t).x; }",
       {"2:37: 'x' is a property of nodes; name a node: e.FromNode() or e.ToNode()"}},
      {"Edge e = Edge(n);",
       {"2:15: 'n' is no node or edge; an iterator, a Node or an Edge is needed here"}},
  });
}

TEST(GreenmarlMistakes, Procedures) {
  expect_said({
      {"Proc p(a: Int) { Node n; }",
       {"1:18: there is no graph that this Node is of; take one: (G: Graph, …)"}},
      {"Proc p(a: N_S) { }",
       {"1:11: there is no graph that this Node_Set is of; take one: (G: Graph, …)"}},
      {"Proc p(G: Graph; x: N_P<Int>) { }",
       {"1:18: warning: the output 'x' is never assigned; assign it, or leave it out"}},
      {"Proc p(G: Graph; H: Graph) { }",
       {"1:18: a graph can't be an output; take it before the ';'"}},
      {"Proc p(G: Graph, G: Int) { }",
       {"1:18: 'G' is declared already, in line 1; choose another name"}},
      {"Proc p(G: Graph, n: Node(H)) { n = NIL; }",
       {"1:26: 'H' is not declared; declare it before it is used"}},
      {"Proc p(G: Graph, a: Node_Prop<Int>(G), a: Node_Prop<Int>(G)) { }",
       {"1:40: 'a' is declared already, in line 1; choose another name"}},
      {"Proc p(G: Graph) : Int { Return; }", {"1:26: Return needs a value here; return an Int"}},
      {"Proc p(G: Graph) : Int { If (True) Return 1; }",
       {"1:6: 'p' can end without Return; return an Int at its end"}},
      {"Proc p(G: Graph) : Int { Return True; }",
       {"1:33: a Bool can't be the returned value, an Int; the types have to go together"}},
      {"Proc p(G: Graph) : Graph { Return G; }",
       {"1:20: a procedure can't return a Graph; it returns a number, a Bool, a Node or an Edge; "
        "the rest are outputs, behind a ';'"}},
      {"Proc p(G: Graph) : N_S { N_S s; Return s; }",
       {"1:20: a procedure can't return a Node_Set; it returns a number, a Bool, a Node or an "
        "Edge; the rest are outputs, behind a ';'"}},
      {"Proc p(G: Graph) : Node(H) { Return NIL; }",
       {"1:25: 'H' is not declared; declare it before it is used"}},
      {"Proc p(G: Graph) { }\nProc p(G: Graph) { }",
       {"2:6: a procedure 'p' is defined already, in line 1; choose another name"}},
  });
}

TEST(GreenmarlMistakes, CallsOfProcedures) {
  expect_said({
      {"Local p(G: Graph) { p(G); }\nProc q(G: Graph) { p(G); }",
       {"1:21: 'p' calls itself; recursion is not supported; use a loop, or a Node_Seq as a "
        "stack"}},
      {"Proc p(G: Graph) { q(G); }\nProc q(G: Graph) { r(G); }\nProc r(G: Graph) { p(G); }",
       {"3:20: 'p' calls itself through others; recursion is not supported; use a loop, or a "
        "Node_Seq as a stack"}},
      {"Proc p(G: Graph) { q(G, 1); }\nLocal q(G: Graph) { }",
       {"1:20: 'q' takes 1 argument, not 2; it is defined in line 2"}},
      {"Proc p(G: Graph) { q(); }\nLocal q(G: Graph) { }",
       {"1:20: 'q' takes 1 argument, not 0; it is defined in line 2"}},
      {"Proc p(G: Graph) { q(1); }\nLocal q(G: Graph) { }",
       {"1:22: 'G' of 'q' is a Graph, and this is not; name a graph"}},
      {"Proc p(G: Graph) { q(G, True); }\nLocal q(G: Graph, a: Int) { }",
       {"1:25: a Bool can't be 'a' of 'q', an Int; the types have to go together"}},
      {"Proc p(G: Graph, x: N_P<Int>) { q(G, x); }\nLocal q(G: Graph, a: N_P<Double>) { }",
       {"1:38: this can't be 'a' of 'q', a Node_Prop<Double>; 'x' is a Node_Prop<Int>"}},
      {"Proc p(G: Graph) { q(G, y); }\nLocal q(G: Graph, a: N_P<Double>) { }",
       {"1:25: this can't be 'a' of 'q', a Node_Prop<Double>; name a property"}},
      {"Proc p(G: Graph, s: N_S) { q(G, s); }\nLocal q(G: Graph, a: N_O) { }",
       {"1:33: this can't be 'a' of 'q', a Node_Order; name a collection of the same type and "
        "graph"}},
      {"Proc p(G: Graph) { q(G, 1 + 2); }\nLocal q(G: Graph; a: Int) { a = 1; }",
       {"1:27: an output of 'q' can't be assigned to this; name a variable, or a property of a "
        "node"}},
      {"Proc p(G: Graph) : Int { Return q(G); }\nLocal q(G: Graph) { }",
       {"1:33: q() has no value; call it as a statement of its own"}},
      {"Proc p(G: Graph; x: N_P<Int>) { Foreach (t: G.Nodes) { q(G, x); } }\nLocal q(G: Graph, x: "
       "N_P<Int>) { G.x = 1; }",
       {"2:34: warning: iterations of the Foreach over 't' may assign the same 'G.x', in no order; "
        "combine with += *= min= max= &= |=, declare it in the loop, or use For"}},
      {"Proc p(G: Graph) { Int a = q(G) + y; Int b = q(G, 1); a = b; c = 2; }\nLocal q(G: Graph) : "
       "Int { Return z; }",
       {"1:35: 'y' is not declared; declare it before it is used",
        "1:46: 'q' takes 1 argument, not 2; it is defined in line 2",
        "1:62: 'c' is not declared; declare it before it is used",
        "2:34: 'z' is not declared; declare it before it is used"}},
  });
}

// Some parameter types can't be inputs of a program yet, but other procedures may pass them.
TEST(GreenmarlMistakes, ParametersOfCalledProcedures) {
  EXPECT_EQ(
      error_of("Proc p(G: Graph) { Graph H; N_P<N_S>(G) f; Collection<N_S>(G) c; q(G, H, f, c); }\n"
               "Local q(G: Graph, H: Graph, f: N_P<N_S>(G), c: Collection<N_S>(G)) {\n"
               "Foreach (t: G.Nodes) t.f.Add(t); N_S(G) s; c.PushBack(s); Int n = H.NumNodes(); }"),
      "");
}

}  // namespace
}  // namespace Atoll::greenmarl
