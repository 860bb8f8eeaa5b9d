// Errors in loops, traversals, assignments to several targets, deferred assignments, foreign text.
#include "greenmarl_mistakes.hpp"

namespace Atoll::greenmarl {
namespace {

TEST(GreenmarlMistakes, Ranges) {
  expect_said({
      {"Foreach (t: r.Nodes) { }", {"2:13: 'r' is not the graph; write G.Nodes"}},
      {"Foreach (t: s.Nodes) { }", {"2:13: 's' is not the graph; write G.Nodes"}},
      {"Foreach (t: n.Nbrs) { }",
       {"2:13: 'n' is no node or edge; an iterator, a Node or an Edge is needed here"}},
      {"Foreach (t: G.Nbrs) { }",
       {"2:13: the graph 'G' can't stand here to run over neighbours of; name one of its nodes; "
        "the graph stands for each node in G.property = … only"}},
      {"Foreach (t: r^.Nbrs) n += 1;", {"2:13: 'r' is no graph to transpose; run over InNbrs"}},
      {"Foreach (t: n.Items) { }",
       {"2:13: 'n' is no collection; Items are what a collection holds"}},
      {"Foreach (t: G.Items) { }",
       {"2:13: 'G' is no collection; Items are what a collection holds"}},
      {"Foreach (t: x.Items) { }", {"2:13: 'x' is a property, and no node is named; write node.x"}},
      {"For (i: m.Items) { n = 1; }",
       {"2:9: 'm' is no collection; Items are what a collection holds"}},
      {"Foreach (t: G.Edges) { t.x = 1; }",
       {"2:26: 'x' is a property of nodes; name a node: e.FromNode() or e.ToNode()"}},
      {"Foreach (t: r.CommonNbrs(n)) { }",
       {"2:26: 'n' is no node or edge; an iterator, a Node or an Edge is needed here"}},
      {"Foreach (t: r.UpNbrs) { }",
       {"2:10: UpNbrs are neighbours within a breadth-first traversal; use them in InBFS, or run "
        "over Nbrs"}},
      {"Foreach (t: G.Nodes) { Return; }",
       {"2:24: Return can't stand in a Foreach: its iterations have no order; use For, or return "
        "after the loop"}},
  });
}

TEST(GreenmarlMistakes, Traversals) {
  expect_said({
      {"InDFS (v: G.Nodes From r) { Foreach (t: v.UpNbrs) { n += 1; } }",
       {"2:38: UpNbrs are neighbours within a breadth-first traversal; use them in InBFS, or run "
        "over Nbrs"}},
      {"InBFS (v: G.Nbrs From r) { }", {"2:8: a traversal can't run over Nbrs; write G.Nodes"}},
      {"InBFS (v: r.Nodes From r) { }",
       {"2:11: 'r' is not the graph; a traversal is of a graph: (v: G.Nodes From root)"}},
      {"InBFS (v: G.Nodes From n) { }",
       {"2:24: an Int can't be the root, a Node; the types have to go together"}},
      {"InBFS (v: G.Nodes From y) { v.x = z; }",
       {"2:24: 'y' is not declared; declare it before it is used"}},
      {"InBFS (v: G.Nodes From r)[v.x] { }",
       {"2:27: a Double can't be a condition, a Bool; compare it"}},
      {"InBFS (v: G.Nodes From r)(n) { }",
       {"2:27: an Int can't be a condition, a Bool; compare it"}},
      {"InBFS (v: G.Nodes From r) { } InReverse (n) { }",
       {"2:42: an Int can't be a condition, a Bool; compare it"}},
      {"InBFS (v: G.Nodes From r) { Return; }",
       {"2:29: Return can't stand in an InBFS: a level's nodes have no order; return after the "
        "traversal"}},
  });
}

TEST(GreenmarlMistakes, Bindings) {
  expect_said({
      {"n += 1 @ t;",
       {"2:10: 't' is no iterator of a loop around this; bind to a Foreach or For that this stands "
        "in"}},
      {"n = 1 @ t;",
       {"2:9: 't' is no iterator of a loop around this; bind to a Foreach or For that this stands "
        "in"}},
      {"Foreach (t: G.Nodes) { n += 1 @ n; }",
       {"2:33: 'n' is no iterator of a loop around this; bind to a Foreach or For that this stands "
        "in"}},
      {"Foreach (t: G.Nodes) { Int i = 0; i = 1 @ t; }",
       {"2:43: only reductions and deferred assignments are bound with '@'; leave it out"}},
      {"Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { n += 1 @ t; n += 1 @ w; } }",
       {"2:67: this reduction is bound to two iterators; bind it to one"}},
      {"Foreach (t: G.Nodes) { r.x <= 1 @ u; }",
       {"2:35: 'u' is no iterator of a loop around this; bind to a Foreach or For that this stands "
        "in"}},
      {"Foreach (t: G.Nodes) { t.x <= 1 @ t; t.x = 2; }",
       {"2:38: 'x' is assigned in two ways in the loop over 't'; defer all of its assignments "
        "until this loop ends: <= … @ t"}},
      {"r.x <= 1;", {"2:1: this deferred assignment names no loop; add '@ it' with its iterator"}},
      {"n <= 1;", {"2:1: this deferred assignment names no loop; add '@ it' with its iterator"}},
      {"Foreach (t: G.Nodes) { s <= s @ t; }",
       {"2:24: 's' is a collection, and is only assigned with '='; use its built-ins, such as Add "
        "or Union"}},
  });
}

TEST(GreenmarlMistakes, SeveralTargets) {
  expect_said({
      {"<n; r> = <1; r>;", {"2:1: '=' does not go with several targets; use min= or max="}},
      {"<n; r> += <1; r>;", {"2:1: '+=' does not go with several targets; use min= or max="}},
      {"<r; n> min= <r; 1>;", {}},
      {"<b; n> min= <b; 1>;",
       {"2:2: 'min=' does not go with a Bool; the first target has to be a number, a Node or an "
        "Edge"}},
      {"<n; r.x> min= <1; 2>;",
       {"2:5: targets that are assigned together have to be of one node; name only variables, or "
        "only properties of one node"}},
      {"<n; s> min= <1; s>;",
       {"2:5: 's' is no variable; a graph, an iterator or a collection can't be assigned"}},
      {"<n; m[r]> min= <1; 2>;",
       {"2:6: this can't be one of several targets; name variables, or properties of one node"}},
      {"<n; G> min= <1; G>;",
       {"2:5: 'G' is no variable; a graph, an iterator or a collection can't be assigned"}},
      {"<n; r> min= <r; 1>;", {"2:14: a Node can't be 'n', an Int; the types have to go together"}},
      {"<n; r> min= <1; 2>;", {"2:17: an Int can't be 'r', a Node; the types have to go together"}},
      {"<n; y> min= <1; 2>;", {"2:5: 'y' is not declared; declare it before it is used"}},
  });
}

TEST(GreenmarlMistakes, AssignmentsToAll) {
  expect_said({
      {"G.x <= 1;", {"2:1: an assignment to all nodes can't be deferred; write ="}},
      {"G.x = 1 @ t;", {"2:11: an assignment to all nodes is bound to no iterator; leave '@' out"}},
      {"G.x = G + 1;", {"2:9: '+' does not go with a Node and an Int; it takes two numbers"}},
      {"G.x = G.len;", {"2:9: 'len' is a property of edges; name an edge: Edge(n), or n.ToEdge()"}},
      {"G.x = G.y;", {"2:9: 'y' is no property; declare it: Node_Prop<Double> name;"}},
      {"s.len = 1;", {"2:3: 'len' is a property of edges; a collection holds nodes"}},
      {"N_P<Int> y = z;", {"2:14: 'z' is not declared; declare it before it is used"}},
      {"N_P<Node> y = 1;", {"2:15: an Int can't be 'G.y', a Node; the types have to go together"}},
  });
}

TEST(GreenmarlMistakes, ForeignText) {
  expect_said({
      {"[ f($y) ];", {"2:6: 'y' is not declared; declare it before it is used"}},
      {"[ f($x) ];", {"2:6: 'x' is a property, and no node is named; write node.x"}},
      {"n = [ f($r.y) ];", {"2:12: 'y' is no property; declare it: Node_Prop<Double> name;"}},
      {"[ f($n) ] :: [y];", {"2:15: 'y' is not declared; declare it before it is used"}},
      {"[ f($n) ] :: [G.y];", {"2:17: 'y' is no property; declare it: Node_Prop<Double> name;"}},
      {"[ f($n) ] :: [r.y];", {"2:17: 'y' is no property; declare it: Node_Prop<Double> name;"}},
  });
}

TEST(GreenmarlMistakes, SeveralMistakes) {
  expect_said({
      {"If (y) { z = 1; } Else { u = 1; }",
       {"2:5: 'y' is not declared; declare it before it is used",
        "2:10: 'z' is not declared; declare it before it is used",
        "2:26: 'u' is not declared; declare it before it is used"}},
      {"While (y) { z = 1; }",
       {"2:8: 'y' is not declared; declare it before it is used",
        "2:13: 'z' is not declared; declare it before it is used"}},
      {"Do { z = 1; } While (y);",
       {"2:6: 'z' is not declared; declare it before it is used",
        "2:22: 'y' is not declared; declare it before it is used"}},
      {"Foreach (t: G.Nodes)(z) { u = 1; t.x = v; }",
       {"2:22: 'z' is not declared; declare it before it is used",
        "2:27: 'u' is not declared; declare it before it is used",
        "2:40: 'v' is not declared; declare it before it is used"}},
      {"For (t: G.Nodes) { n = t.y; n = u; }",
       {"2:26: 'y' is no property; declare it: Node_Prop<Double> name;",
        "2:33: 'u' is not declared; declare it before it is used"}},
      {"Int y = True; Bool z = 1; n = y; b = z; n = 1.5; Node w = 2;",
       {"2:9: a Bool can't be 'y', an Int; the types have to go together",
        "2:24: an Int can't be 'z', a Bool; compare it",
        "2:45: warning: a Double loses its fraction as 'n', an Int; write (Int) before it if this "
        "is meant",
        "2:59: an Int can't be 'w', a Node; the types have to go together"}},
  });
}

TEST(GreenmarlMistakes, DeferralInTraversalsAndOfEntries) {
  expect_said({
      {"InBFS (v: G.Nodes From r) { v.x <= 1 @ w; }",
       {"2:40: 'w' is no iterator of a loop around this; bind to a Foreach or For that this stands "
        "in"}},
      {"InBFS (v: G.Nodes From r) { v.x <= 1 @ v; v.x = 2; }",
       {"2:43: 'x' is assigned in two ways in the loop over 'v'; defer all of its assignments "
        "until this loop ends: <= … @ v"}},
      {"InBFS (v: G.Nodes From r) { v.x <= 1; } InReverse { v.x <= True; }",
       {"2:60: a Bool can't be 'v.x', a Double; the types have to go together"}},
      {"m[r] <= 1;", {"2:1: this deferred assignment names no loop; add '@ it' with its iterator"}},
      {"Foreach (t: G.Nodes) { m[t] <= 1 @ u; }",
       {"2:36: 'u' is no iterator of a loop around this; bind to a Foreach or For that this stands "
        "in"}},
      {"Foreach (t: G.Nodes) { m[t] <= True @ t; }",
       {"2:32: a Bool can't be 'm[t]', an Int; the types have to go together"}},
      {"Foreach (t: G.Nodes) { m[n] <= 1 @ t; }",
       {"2:26: an Int can't be a key, a Node; the types have to go together"}},
      {"Foreach (t: G.Nodes) { m[t] <= 1; }",
       {"2:24: this deferred assignment names no loop; add '@ it' with its iterator"}},
      {"While (b) { n <= 1; }",
       {"2:13: this deferred assignment names no loop; add '@ it' with its iterator"}},
  });
}

TEST(GreenmarlMistakes, WhatForeignTextChanges) {
  expect_said({
      {"[ f($n.x) ];",
       {"2:5: 'n' is no node or edge; an iterator, a Node or an Edge is needed here"}},
      {"[ f($r.len) ];",
       {"2:8: 'len' is a property of edges; name an edge: Edge(n), or n.ToEdge()"}},
      {"[ f() ] :: [G];",
       {"2:13: 'G' is no variable; foreign text can't change a graph or an iterator"}},
      {"[ f() ] :: [r.len];",
       {"2:15: 'len' is a property of edges; name an edge: Edge(n), or n.ToEdge()"}},
      {"[ f() ] :: [n, y];", {"2:16: 'y' is not declared; declare it before it is used"}},
      {"[ f( ;", {"2:1: this foreign text isn't closed; end it with ]"}},
      {"[ f() ] :: n;", {"2:12: 'n' can't stand here; expected '[' before what the text changes"}},
      {"Foreach (t: G.Nodes) { [ f() ] :: [t]; }",
       {"2:36: 't' is no variable; foreign text can't change a graph or an iterator"}},
      {"Foreach (t: G.Nodes) { n += 1; [ f() ] :: [n]; }",
       {"2:32: data race: 'n' is assigned while iterations of the Foreach over 't' combine into "
        "it; assign it before or after the loop, or use For"}},
      {"[ f($) ];", {"2:5: a '$' in this foreign text is followed by no name; write $name"}},
      {"s = [ f() ];",
       {"2:5: this can't be 's', a Node_Set; name a collection of the same type and graph"}},
      {"[ f() ] :: [1];", {"2:13: '1' can't stand here; expected a name of a variable"}},
  });
}

}  // namespace
}  // namespace Atoll::greenmarl
