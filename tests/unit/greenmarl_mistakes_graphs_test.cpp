// Errors in programs with several graphs, and in collections that are inputs.
#include "greenmarl_mistakes.hpp"

namespace Atoll::greenmarl {
namespace {

TEST(GreenmarlMistakes, ParametersOfSeveralGraphs) {
  expect_said({
      {"Proc p(G: Graph, H: Graph, r: Node) { }",
       {"1:31: there are several graphs that this Node may be of; write its graph behind it: "
        "Node(G)"}},
      {"Proc p(G: Graph, H: Graph; x: N_P<Int>) { }",
       {"1:31: there are several graphs that this Node_Prop<Int> may be of; write its graph behind "
        "it: Node_Prop<Int>(G)"}},
      {"Proc p(G: Graph, H: Graph, s: N_S) { }",
       {"1:31: there are several graphs that this Node_Set may be of; write its graph behind it: "
        "Node_Set(G)"}},
      {"Proc p(G: Graph, H: Graph, c: Collection<N_S>) { }",
       {"1:42: there are several graphs that this Node_Set may be of; write its graph behind it: "
        "Node_Set(G)"}},
      {"Proc p(G: Graph, H: Graph, m: Map<Node, Int>) { }",
       {"1:35: there are several graphs that this Node may be of; write its graph behind it: "
        "Node(G)"}},
      {"Proc p(G: Graph, H: Graph) : Node { Return NIL; }",
       {"1:30: there are several graphs that this Node may be of; write its graph behind it: "
        "Node(G)"}},
  });
}

TEST(GreenmarlMistakes, ElementsOfAnotherGraph) {
  expect_said({
      {"Proc p(G: Graph, H: Graph, r: Node(G), s: N_S(H)) {\ns.Add(r); }",
       {"2:7: this Node is of another graph than an argument of Add(); take one of the same "
        "graph"}},
      {"Proc p(G: Graph, H: Graph, r: Node(G), t: Node(H)) : Bool {\nReturn r == t; }",
       {"2:10: '==' does not go with a Node and a Node; take both of one graph"}},
      {"Proc p(G: Graph, H: Graph, r: Node(G), t: Node(H)) : Bool {\nReturn r.HasEdgeTo(t); }",
       {"2:20: this Node is of another graph than an argument of HasEdgeTo(); take one of the same "
        "graph"}},
      {"Proc p(G: Graph, H: Graph, x: N_P<Node(H)>(G), r: Node(G)) {\nr.x = r; }",
       {"2:7: this Node is of another graph than 'r.x'; take one of the same graph"}},
      {"Proc p(G: Graph, H: Graph, r: Node(G)) {\nInBFS (v: H.Nodes From r) { } }",
       {"2:24: this Node is of another graph than the root; take one of the same graph"}},
      {"Proc p(G: Graph, H: Graph, r: Node(H)) : Node(G) {\nReturn r; }",
       {"2:8: this Node is of another graph than the returned value; take one of the same graph"}},
      {"Proc p(G: Graph, H: Graph, m: Map<Node(G), Int>, r: Node(H)) {\nm[r] = 1; }",
       {"2:3: this Node is of another graph than a key; take one of the same graph"}},
      {"Proc p(G: Graph, H: Graph, w: E_P<Int>(H)) {\nForeach (v: G.Nodes) { For (u: v.Nbrs) { "
       "u.ToEdge().w = 1; } } }",
       {"2:53: 'w' is a property of another graph; it is of 'H'"}},
      {"Proc p(G: Graph, H: Graph, x: N_P<N_S(H)>(G), r: Node(G)) {\nr.x.Add(r); }",
       {"2:9: this Node is of another graph than an argument of Add(); take one of the same "
        "graph"}},
      {"Proc p(G: Graph, H: Graph, r: Node(G), s: Node(H)) {\nForeach (v: r.CommonNbrs(s)) { } }",
       {"2:26: 's' is no node; an iterator or a Node of the same graph is needed here"}},
      {"Proc p(G: Graph, H: Graph, b: Bool, r: Node(G), s: Node(H)) {\nNode(G) t = b ? r : s; }",
       {"2:15: '?' has to choose between a Node and a Node; take both of one graph"}},
  });
}

TEST(GreenmarlMistakes, CollectionsAndPropertiesOfAnotherGraph) {
  expect_said({
      {"Proc p(G: Graph, H: Graph, x: N_P<Int>(H)) {\nq(G, x); }\nLocal q(G: Graph, x: "
       "N_P<Int>(G)) { }",
       {"2:6: this can't be 'x' of 'q', a Node_Prop<Int>; 'x' is one of another graph"}},
      {"Proc p(G: Graph, H: Graph, r: Node(H)) {\nq(G, r); }\nLocal q(G: Graph, r: Node(G)) { }",
       {"2:6: this Node is of another graph than 'r' of 'q'; take one of the same graph"}},
      {"Proc p(G: Graph, H: Graph, c: Collection<N_S>(H), s: N_S(G)) {\nc.PushBack(s); }",
       {"2:12: this can't be an argument of PushBack(), a Node_Set; name a collection of the same "
        "type and graph"}},
      {"Proc p(G: Graph, H: Graph, a: N_S(H), s: N_S(G)) {\ns.Union(a); }",
       {"2:9: this can't be an argument of Union(), a Node_Set; name a collection of the same type "
        "and graph"}},
      {"Proc p(G: Graph, H: Graph, a: N_S(H), x: N_P<Int>(G)) {\na.x = 1; }",
       {"2:3: 'x' is a property of another graph; write G.x"}},
  });
}

TEST(GreenmarlMistakes, CollectionsOfOtherThings) {
  expect_said({
      {"Proc p(G: Graph, c: Collection<Int>) { }",
       {"1:32: a Collection can't hold an Int; it holds Node_Set, Node_Order or Node_Seq"}},
      {"Proc p(G: Graph, c: Collection<Node>) { }",
       {"1:32: a Collection can't hold a Node; it holds Node_Set, Node_Order or Node_Seq"}},
      {"Proc p(G: Graph, c: Collection<Collection<N_S>>) { }",
       {"1:32: a Collection can't hold a Collection<Node_Set>; it holds Node_Set, Node_Order or "
        "Node_Seq"}},
      {"Proc p(G: Graph, c: Collection) { }",
       {"1:31: ')' can't stand here; expected '<' after Collection"}},
      {"Proc p(G: Graph, c: Collection<Map<Int, Int>>) { }",
       {"1:32: a Collection can't hold a Map<Int, Int>; it holds Node_Set, Node_Order or "
        "Node_Seq"}},
      {"Proc p(G: Graph, x: N_P<Map<Int, Int>>) { }",
       {"1:25: a property can't hold a Map<Int, Int>; it holds numbers, Bools, Nodes, Edges or "
        "sets"}},
  });
}

TEST(GreenmarlMistakes, CollectionsFromOutside) {
  expect_said({
      {"Proc p(G: Graph, c: Collection<N_S>, s: N_O) {\nc.PushBack(s); }",
       {"2:12: this can't be an argument of PushBack(), a Node_Set; name a collection of the same "
        "type and graph"}},
      {"Proc p(G: Graph, c: Collection<N_S>, r: Node) {\nc.PushBack(r); }",
       {"2:12: this can't be an argument of PushBack(), a Node_Set; name a collection of the same "
        "type and graph"}},
      {"Proc p(G: Graph, c: Collection<N_S>) {\nForeach (s: c.Items) { s.Degree(); } }",
       {"2:26: a Node_Set has no 'Degree'; it has Add(), Remove(), Has(), Union(), Intersect(), "
        "Complement(), IsSubsetOf(), Size(), Clear()"}},
      {"Proc p(G: Graph, c: Collection<N_S>) : Long {\nReturn Sum(s: c.Items){ s }; }",
       {"2:25: 's', a Node_Set, can't stand here as a value; call a built-in of it, such as "
        "Size()"}},
      {"Proc p(G: Graph, c: Collection<N_S>) {\nc = c; c += c; }",
       {"2:8: 'c' is a collection, and is only assigned with '='; use its built-ins, such as Add "
        "or Union"}},
      {"Proc p(G: Graph; c: Collection<N_S>) { }",
       {"1:18: warning: the output 'c' is never assigned; assign it, or leave it out"}},
      {"Proc p(G: Graph, c: Collection<N_S>) {\nForeach (t: G.Nodes) { N_S s; c.PushBack(s); "
       "c.PopBack(); } }",
       {"2:46: warning: iterations of the Foreach over 't' change 'c' in two ways, in no order; "
        "change it in one way, or use For"}},
  });
}

TEST(GreenmarlMistakes, PropertiesOfCollections) {
  expect_said({
      {"Proc p(G: Graph, x: N_P<N_S>, r: Node) {\nr.x.Push(r); }",
       {"2:5: a Node_Set has no 'Push'; it has Add(), Remove(), Has(), Union(), Intersect(), "
        "Complement(), IsSubsetOf(), Size(), Clear()"}},
      {"Proc p(G: Graph, x: N_P<N_S>, r: Node) {\nr.x = r; }",
       {"2:7: this can't be 'r.x', a Node_Set; name a collection of the same type and graph"}},
      {"Proc p(G: Graph, x: N_P<N_S>, r: Node) : Long {\nReturn r.x + 1; }",
       {"2:8: 'x', a Node_Set, can't stand here as a value; call a built-in of it, such as "
        "Size()"}},
      {"Proc p(G: Graph, x: N_P<N_S>, s: N_O, r: Node) {\nr.x = s; }",
       {"2:7: this can't be 'r.x', a Node_Set; name a collection of the same type and graph"}},
      {"Proc p(G: Graph, x: N_P<N_S>) {\nG.x = 1; }",
       {"2:7: this can't be 'G.x', a Node_Set; name a collection of the same type and graph"}},
      {"Proc p(G: Graph, x: N_P<N_S>, r: Node) : Long {\nReturn r.x.Size; }",
       {"2:8: 'x', a Node_Set, can't stand here as a value; call a built-in of it, such as "
        "Size()"}},
      {"Proc p(G: Graph, x: E_P<N_S>, r: Node) {\nr.x.Add(r); }",
       {"2:3: 'x' is a property of edges; name an edge: Edge(n), or n.ToEdge()"}},
      {"Proc p(G: Graph, x: N_P<N_S>, r: Node) {\nr.x += r; }",
       {"2:1: 'r.x' is a collection, and is only assigned with '='; use its built-ins, such as Add "
        "or Union"}},
      {"Proc p(G: Graph, x: N_P<N_S>, r: Node) {\nr.x <= r.x @ r; }",
       {"2:1: 'r.x' is a collection, and is only assigned with '='; use its built-ins, such as Add "
        "or Union"}},
  });
}

}  // namespace
}  // namespace Atoll::greenmarl
