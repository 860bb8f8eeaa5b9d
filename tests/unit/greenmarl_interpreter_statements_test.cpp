// The tests' interpreter: declarations, assignments of every kind, loops, calls.
#include "greenmarl_interpreter.hpp"

namespace Atoll::greenmarl::oracle {
namespace {

TEST(GreenMarlInterpreter, VariablesStartAsNothingEachTimeRound) {
  expect(
      {{"Procedure p(G: Graph; a: Int, b: Bool, c: Double, n: Node) { }", "a=0 b=False c=0 n=NIL"},
       {"Procedure p(G: Graph) : Int { Int total; For (n: G.Nodes) { Int i; i += 2; total += i; "
        "} Return total; }",
        "Return 12"},
       {"Procedure p(G: Graph) : Int { Int a, b = 4, c; Return a * 100 + b * 10 + c; }",
        "Return 40"},
       {"Procedure p(G: Graph; a: N_P<Int>) { For (n: G.Nodes) { N_P<Int> q; n.q += 1; n.a = "
        "Sum(m: G.Nodes) { m.q }; } }",
        "a=[1 1 1 1 1 1]"}});
}

TEST(GreenMarlInterpreter, CombiningAssignments) {
  expect({{"Procedure p(G: Graph; a: Int, b: Int, c: Int, d: Int, e: Bool, f: Bool) {"
           " a = 5; a += 2; b = 3; b *= 4; c = 7; c min= 4; c min= 9; d max= 3; d max= 1;"
           " e = True; e &= False; f |= True; }",
           "a=7 b=12 c=4 d=3 e=False f=True"},
          {"Procedure p(G: Graph; a: Int) { a++; a++; a--; a--; a--; }", "a=-1"},
          {"Procedure p(G: Graph; a: N_P<Long>) { Foreach (n: G.Nodes) { Foreach (m: n.Nbrs) {"
           " m.a += 1 @ n; } } }",
           "a=[1 1 1 3 2 0]"},
          {"Procedure p(G: Graph; s: Long, t: Bool) { Foreach (n: G.Nodes) { s += n.Degree() @ n;"
           " t |= n.Degree() == 4 @ n; } }",
           "s=8 t=True"}});
}

TEST(GreenMarlInterpreter, DeferredAssignments) {
  // All iterations read the old values until the loop ends.
  expect({{"Procedure p(G: Graph; a: N_P<Int>) { Foreach (n: G.Nodes) { n.a = (Int) n.Degree(); }"
           " Foreach (n: G.Nodes) { n.a <= Sum(m: n.Nbrs) { m.a } @ n; } }",
           "a=[2 4 4 6 0 0]"},
          {"Procedure p(G: Graph; a: N_P<Int>, b: Int) { Foreach (n: G.Nodes) { n.a <= 1; b += "
           "n.a; } }",
           "b=0 a=[1 1 1 1 1 1]"},
          {"Procedure p(G: Graph; x: Int, y: Int) { x = 1; For (n: G.Nodes) { x <= x + 1 @ n; y += "
           "x; } }",
           "x=2 y=6"},
          // Bound to the outer loop: the assignment is deferred until that loop ends.
          {"Procedure p(G: Graph; a: N_P<Int>, b: Int) { For (n: G.Nodes) { Foreach (m: G.Nodes) {"
           " m.a <= 3 @ n; } b += Sum(m: G.Nodes) { m.a }; } }",
           "b=0 a=[3 3 3 3 3 3]"}});
}

TEST(GreenMarlInterpreter, ArgminGroups) {
  expect({{"Procedure p(G: Graph; best: Long, who: Node) { best = INF; Foreach (n: G.Nodes) {"
           " <best; who> min= <n.Degree(); n> @ n; } }",
           "best=0 who=4"},
          {"Procedure p(G: Graph; best: Long, who: Node, twice: Long) { best = -1;"
           " Foreach (n: G.Nodes) { <best; who, twice> max= <n.Degree(); n, 2 * n.Degree()>; } }",
           "best=4 twice=8 who=3"},
          // Among equal values, that of the first iteration is kept.
          {"Procedure p(G: Graph; best: Int, who: Node) { best = INF; Foreach (n: G.Nodes) {"
           " <best; who> min= <7; n>; } }",
           "best=7 who=0"},
          {"Procedure p(G: Graph; d: N_P<Int>, w: N_P<Node>, e: N_P<Edge>) { G.d = INF; Foreach "
           "(n: G.Nodes) { Foreach (m: n.Nbrs) { <m.d; m.w, m.e> min= <(Int) n.Degree(); n, "
           "m.ToEdge()> @ n; } } }",
           "d=[4 2 2 1 4 INF] e=[4 0 1 2 6 NIL] w=[3 0 0 1 3 NIL]"}});
}

TEST(GreenMarlInterpreter, GroupAssignments) {
  expect({{"Procedure p(G: Graph; a: N_P<Long>) { G.a = G.Degree() * 10; }", "a=[20 10 10 40 0 0]"},
          {"Procedure p(G: Graph, r: Node; a: N_P<Int>) { G.a = (G == r) ? 0 : INF; }",
           "a=[INF INF INF INF INF INF]"},
          {"Procedure p(G: Graph; e: E_P<Bool>) { G.e = G.FromNode() == G.ToNode(); }",
           "e=[False False False False False True False False]"},
          {"Procedure p(G: Graph; a: N_P<Int>) { G.a = 3; G.a *= 2; G.a += G.a; }",
           "a=[12 12 12 12 12 12]"},
          {"Procedure p(G: Graph; a: N_P<Int>) { N_S S; Foreach (n: G.Nodes)(n.Degree() == 1)"
           " { S.Add(n); } S.a = 1; S.a += S == NIL ? 5 : 2; }",
           "a=[0 3 3 0 0 0]"},
          {"Procedure p(G: Graph; a: N_P<Long>) { G.a = Sum(m: G.Nbrs) { m.Degree() }; }",
           "a=[2 4 4 6 0 0]"},
          {"Procedure p(G: Graph; a: N_P<Long>) { N_P<Long> b = G.InDegree() + G.NumNodes();"
           " G.a = G.b; }",
           "a=[7 7 7 9 8 6]"}});
}

TEST(GreenMarlInterpreter, LoopsOverEveryRange) {
  expect(
      {{"Procedure p(G: Graph; s: N_Q) { For (n: G.Nodes)(n.Degree() > 0) { s.PushBack(n); } }",
        "s=(0 1 2 3)"},
       {"Procedure p(G: Graph; s: N_Q) { For (e: G.Edges) { s.PushBack(e.ToNode()); } }",
        "s=(1 2 3 3 0 3 4 4)"},
       {"Procedure p(G: Graph; s: N_Q) { For (n: G.Nodes) { For (m: n.Nbrs) { s.PushBack(m); } "
        "} }",
        "s=(1 2 3 3 0 3 4 4)"},
       {"Procedure p(G: Graph; s: N_Q) { For (n: G.Nodes) { For (m: n.InNbrs) { s.PushBack(m); "
        "} } }",
        "s=(3 0 0 1 2 3 3 3)"},
       {"Procedure p(G: Graph; s: N_Q) { For (n: G.Nodes) { For (m: G.Nodes) {"
        " For (c: n.CommonNbrs(m))(n < m) { s.PushBack(c); } } } }",
        "s=(3 3 3)"},
       {"Procedure p(G: Graph; s: N_Q) { For (n: G.Nodes) { For (c: n.CommonNbrs(n)) {"
        " s.PushBack(c); } } }",
        "s=(1 2 3 3 0 3 4)"},
       {"Procedure p(G: Graph; a: E_P<Int>, b: E_P<Int>) { Int i; For (n: G.Nodes) {"
        " For (m: n.Nbrs) { i++; Edge(m).a = i; } }"
        " i = 0; For (n: G.Nodes) { For (m: n.InNbrs) { i++; Edge f = m.ToEdge(); f.b = i; } } }",
        // In-edges by node: 0: 4; 1: 0; 2: 1; 3: 2 3 5; 4: 6 7.
        "a=[1 2 3 4 5 6 7 8] b=[2 3 4 5 1 6 7 8]"}});
}

TEST(GreenMarlInterpreter, BranchesAndWhile) {
  expect({{"Procedure p(G: Graph; i: Int) { While (i < 5) { i += 2; } }", "i=6"},
          {"Procedure p(G: Graph; i: Int) { Do { i++; } While (i < 0); }", "i=1"},
          {"Procedure p(G: Graph; i: Int) { If (G.NumNodes() > 5) i = 1; Else i = 2; }", "i=1"},
          {"Procedure p(G: Graph; i: Int) { If (False) { i = 1; } Else If (False) { i = 2; } Else {"
           " i = 3; } }",
           "i=3"},
          {"Procedure p(G: Graph) : Int { For (n: G.Nodes) { If (n.Degree() == 4) { Return 3; } } "
           "Return 9; }",
           "Return 3"},
          {"Procedure p(G: Graph; i: Int) { { Int j = 4; i = j; } { Int j; i += j; } ; }", "i=4"},
          {"Procedure p(G: Graph; i: Int) { i = 1; Return; i = 2; }", "i=1"}});
}

TEST(GreenMarlInterpreter, CallsOfProcedures) {
  expect(
      {{"Local twice(i: Int) : Int { i = 2 * i; Return i; }"
        " Procedure p(G: Graph; x: Int) : Int { x = 3; Return twice(x) + twice(2.6); }",
        "Return 10 x=3"},
       {"Local Procedure fill(G: Graph, a: N_P<Int>, by: Int) { G.a += by; }"
        " Procedure p(G: Graph; b: N_P<Int>) { fill(G, b, 2); fill(G, b, 3); }",
        "b=[5 5 5 5 5 5]"},
       {"Local both(i: Int; half: Int, rest: Int) { half = i / 2; rest += i % 2; }"
        " Procedure p(G: Graph; a: Int, b: Long, c: N_P<Long>) { b = 100; both(7, a, b);"
        " Foreach (n: G.Nodes) { Int h; both((Int) n.Degree(); h, n.c); n.c += 10 * h; } }",
        "a=3 b=1 c=[10 1 1 20 0 0]"},
       {"Local grow(G: Graph, S: N_S, m: Map<Int, Int>) { For (n: G.Nodes)(n.Degree() == 1) {"
        " S.Add(n); m[S.Size()] += 5; } }"
        " Procedure p(G: Graph; T: N_S, w: Map<Int, Int>) { grow(G, T, w); grow(G, T, w); }",
        "T=(1 2) w={1:5 2:15}"},
       {"Local first(G: Graph, d: Long) : Node { For (n: G.Nodes) { If (n.Degree() == d) Return n; "
        "} Return NIL; }"
        " Procedure p(G: Graph; a: Node, b: Node, c: Long) { a = first(G, 1); b = first(G, 9);"
        " c = first(G, 4).InDegree(); }",
        "a=1 b=NIL c=3"},
       {"Local of(G: Graph, n: Node(G), A: N_P<Int>(G)) : Int { Int A = 5; Return n.A + A; }"
        " Procedure p(G: Graph; x: Int) { N_P<Int> A; Int A = 100; G.A = 1;"
        " Foreach (n: G.Nodes)(n.Degree() == 4) { x = of(G, n, A) + A; } }",
        "x=106"}});
}

TEST(GreenMarlInterpreter, SeveralGraphs) {
  expect({{"Procedure p(G: Graph) : Long { Graph H; N_P<Int>(H) a; Node_Set(H) S;"
           " H.a = 4; Foreach (n: H.Nodes) { S.Add(n); } Return H.NumNodes() + S.Size(); }",
           "Return 0"},
          {"Local count(H: Graph) : Long { Return Count(e: H.Edges); }"
           " Procedure p(G: Graph) : Long { Graph H; Return 10 * count(G) + count(H); }",
           "Return 80"}});
}

TEST(GreenMarlInterpreter, TakesInputs) {
  Inputs inputs;
  inputs.scalars["k"] = integer(ValueType::int32, 2);
  inputs.scalars["r"] = node(3);
  inputs.properties["w"] = std::vector(8, integer(ValueType::int32, 0));
  for (int e = 0; e < 8; ++e) inputs.properties["w"][static_cast<std::size_t>(e)].integer = e;
  inputs.collections["S"] = {1, 3};
  inputs.maps["m"] = {{node(3), real(ValueType::float64, 0.5)}};
  EXPECT_EQ(answer("Procedure p(G: Graph, k: Int, r: Node, w: E_P<Int>, S: N_S, m: Map<Node, "
                   "Double>; a: N_P<Int>) : Double { k += 1; Foreach (n: S.Items) { n.a = k + "
                   "Sum(t: n.Nbrs) { Edge(t).w }; } S.Remove(r); Return m[r] + m[NIL]; }",
                   small_graph(), inputs),
            "Return 0.5 a=[0 5 0 25 0 0] w=[0 1 2 3 4 5 6 7] S=(1) m={3:0.5}");
}

}  // namespace
}  // namespace Atoll::greenmarl::oracle
