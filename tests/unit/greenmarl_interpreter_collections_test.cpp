// The tests' interpreter: collections, maps and traversals.
#include "greenmarl_interpreter.hpp"

namespace Atoll::greenmarl::oracle {
namespace {

TEST(GreenMarlInterpreter, Sets) {
  // Afterwards, S is {0 1 2 3} and T is {3 4}.
  const std::string begin =
      "Procedure p(G: Graph; S: N_S, T: N_S, b: Bool) { For (e: G.Edges) { S.Add(e.FromNode()); }"
      " For (n: G.Nodes)(n.InDegree() > 1) { T.Add(n); } ";
  const auto then = [&](const std::string& rest) {
    return answer(begin + rest + " }", small_graph());
  };
  EXPECT_EQ(then(""), "b=False S=(0 1 2 3) T=(3 4)");
  EXPECT_EQ(then("S.Union(T);"), "b=False S=(0 1 2 3 4) T=(3 4)");
  EXPECT_EQ(then("S.Intersect(T);"), "b=False S=(3) T=(3 4)");
  EXPECT_EQ(then("S.Complement(T);"), "b=False S=(0 1 2) T=(3 4)");
  EXPECT_EQ(then("S.Complement(S);"), "b=False S=() T=(3 4)");
  EXPECT_EQ(then("b = T.IsSubsetOf(S);"), "b=False S=(0 1 2 3) T=(3 4)");
  EXPECT_EQ(then("T.Intersect(S); b = T.IsSubsetOf(S);"), "b=True S=(0 1 2 3) T=(3)");
  EXPECT_EQ(then("b = Exist(n: T.Items) { S.Has(n) }; T.Clear();"), "b=True S=(0 1 2 3) T=()");
  EXPECT_EQ(then("N_S U = S; U.Clear(); T = S; b = T.Size() == 4;"),
            "b=True S=(0 1 2 3) T=(0 1 2 3)");
  EXPECT_EQ(then("For (n: S.Items) { S.Remove(n); b |= S.Has(n); }"), "b=False S=() T=(3 4)");
}

TEST(GreenMarlInterpreter, OrdersAndSequences) {
  expect({{"Procedure p(G: Graph; O: N_O, Q: N_Q) { For (e: G.Edges) { O.Push(e.ToNode());"
           " Q.PushBack(e.ToNode()); } }",
           "O=(1 2 3 0 4) Q=(1 2 3 3 0 3 4 4)"},
          {"Procedure p(G: Graph; O: N_O, Q: N_Q) { For (e: G.Edges) { O.PushFront(e.ToNode());"
           " Q.PushFront(e.ToNode()); } }",
           "O=(4 0 3 2 1) Q=(4 4 3 0 3 3 2 1)"},
          {"Procedure p(G: Graph; O: N_O, a: Node, b: Node, c: Node) { For (n: G.Nodes) {"
           " O.PushBack(n); } a = O.Pop(); b = O.PopBack(); c = O.PopFront(); }",
           "a=0 b=5 c=1 O=(2 3 4)"},
          {"Procedure p(G: Graph; O: N_O, b: Bool, c: Bool, k: Long) { For (n: G.Nodes)(n > "
           "G.PickRandom() || True) { O.Push(n); } Node x = O.Pop(); b = O.Has(x); O.Push(x);"
           " c = O.Has(x); k = O.Size(); }",
           "b=False c=True k=6 O=(1 2 3 4 5 0)"},
          {"Procedure p(G: Graph; O: N_O, Q: N_Q) { For (n: G.Nodes) { O.Push(n); }"
           " For (n: O-.Items) { Q.Push(n); } For (n: O+.Items)(n.Degree() == 1) { Q.Push(n); } }",
           "O=(0 1 2 3 4 5) Q=(5 4 3 2 1 0 1 2)"},
          // A loop iterates over the items that exist at its start.
          {"Procedure p(G: Graph; Q: N_Q) { For (n: G.Nodes)(n.Degree() > 1) { Q.Push(n); }"
           " For (n: Q.Items) { Q.Push(n); } }",
           "Q=(0 3 0 3)"},
          {"Procedure p(G: Graph; Q: N_Q) {\nNode n = Q.Pop(); }", "stops at 2:10"},
          {"Procedure p(G: Graph; O: N_O) {\nNode n = O.PopBack(); }", "stops at 2:10"}});
}

TEST(GreenMarlInterpreter, CollectionsOfSets) {
  expect({{"Procedure p(G: Graph; sizes: Map<Int, Long>) : Long { Collection<N_S> C; N_S S; Int i;"
           " For (n: G.Nodes)(n.Degree() > 0) { S.Add(n); C.PushBack(S); } S.Clear(); C.PopBack();"
           " For (T: C.Items) { sizes[i] = T.Size(); T.Clear(); i++; }"
           " Return Sum(T: C.Items) { T.Size() }; }",
           "Return 6 sizes={0:1 1:2 2:3}"},
          {"Procedure p(G: Graph) {\nCollection<N_S> C; C.PopBack(); }", "stops at 2:20"},
          {"Procedure p(G: Graph) {\nCollection<N_S> C; N_S S = C.PopBack(); }", "stops at 2:28"},
          {"Procedure p(G: Graph; c: Collection<N_S>) : Long { For (n: G.Nodes) { N_S S; S.Add(n); "
           "c.PushBack(S); } N_S T = c.PopBack(); While (c.Size() > 1) T = c.PopBack(); "
           "Return T.Size() + 10 * c.Size(); }",
           "Return 11 c=[(0)]"}});
}

TEST(GreenMarlInterpreter, PropertiesOfSets) {
  expect({{"Procedure p(G: Graph; a: N_P<Long>, S: N_S) { N_P<N_S> near; Foreach (n: G.Nodes) {"
           " Foreach (m: n.Nbrs) { n.near.Add(m); } } Foreach (n: G.Nodes) { n.a = n.near.Size();"
           " For (m: n.near.Items)(m.near.Has(n)) { n.a += 10; } }"
           " For (n: G.Nodes)(n.Degree() == 4) { N_S T = n.near; T.Remove(n); S.Union(T);"
           " S.Union(n.near); n.near = T; n.a += 100 * n.near.Size(); } }",
           "a=[2 1 1 213 0 0] S=(0 3 4)"},
          {"Procedure p(G: Graph; a: N_P<Long>) { N_P<N_S> near; N_S S; For (e: G.Edges) {"
           " S.Add(e.ToNode()); } G.near = S; G.a = G.near.Size(); }",
           "a=[5 5 5 5 5 5]"}});
}

TEST(GreenMarlInterpreter, ReductionsOverPropertiesOfSetsHaveAType) {
  expect(
      {{"Procedure p(G: Graph) : Long { N_P<N_S> near; For (e: G.Edges) { Node n = e.FromNode();"
        " n.near.Add(e.ToNode()); } Return Max(n: G.Nodes) { Sum(m: n.near.Items) { m.Degree() } "
        "}; }",
        "Return 6"}});
}

TEST(GreenMarlInterpreter, Maps) {
  expect(
      {{"Procedure p(G: Graph; m: Map<Node, Long>, x: Long) { For (n: G.Nodes)(n.Degree() > 0) {"
        " m[n] = n.Degree(); } x = m[NIL]; }",
        "x=0 m={0:2 1:1 2:1 3:4}"},
       {"Procedure p(G: Graph; a: Map<Int, Int>, b: Map<Int, Int>, c: Map<Int, Int>, d: Map<Int, "
        "Int>, e: Map<Int, Bool>, f: Map<Int, Bool>) { a[1] += 2; a[1] += 3; b[1] *= 4; b[1] *= 5;"
        " c[1] min= 7; c[1] min= 9; d[1] max= -7; d[1] max= -9; e[1] &= True; f[1] |= False; }",
        "a={1:5} b={1:20} c={1:7} d={1:-7} e={1:True} f={1:False}"},
       {"Procedure p(G: Graph; a: Node, b: Node, c: Long, d: Long, e: Bool, f: Bool, g: Bool) {"
        " Map<Node, Long> m; For (n: G.Nodes)(n.Degree() > 0) { m[n] = n.Degree(); }"
        " a = m.GetMinKey(); b = m.GetMaxKey(); c = m.GetMinValue(); d = m.GetMaxValue();"
        " e = m.HasMinValue(a); f = m.HasMaxValue(a); g = m.HasKey(NIL); }",
        "a=1 b=3 c=1 d=4 e=True f=False g=False"},
       {"Procedure p(G: Graph; m: Map<Int, Int>, x: Long, y: Bool, z: Bool) { m[3] = 1; m[4] = 1;"
        " m.Remove(3); m.Remove(9); x = m.Size(); y = m.HasKey(3); z = m[9] == 0 && m.Size() == 1;"
        " m.Clear(); m[5]++; }",
        "x=1 y=False z=True m={5:1}"},
       {"Procedure p(G: Graph; m: Map<Double, Node>, x: Bool) { m[0.5] = NIL; x = m[1.5] == NIL; }",
        "x=True m={0.5:NIL}"},
       {"Procedure p(G: Graph; m: Map<Int, Int>) : Int { m.Clear();\nReturn m.GetMaxValue(); }",
        "stops at 2:8"},
       {"Procedure p(G: Graph; m: Map<Int, Int>) : Int { m.Clear();\nReturn m.GetMinKey(); }",
        "stops at 2:8"}});
}

TEST(GreenMarlInterpreter, BreadthFirst) {
  const std::string begin =
      "Procedure p(G: Graph; a: N_P<Long>, b: N_P<Long>) { N_P<Bool> root; Node r; Int i;"
      " For (e: G.Edges)(r == NIL) { r = e.FromNode(); } G.a = -1; G.b = -1; ";
  const auto then = [&](const std::string& rest) {
    return answer(begin + rest + " }", small_graph());
  };
  EXPECT_EQ(then("InBFS (n: G.Nodes From r) { n.a = Max(u: n.UpNbrs) { u.a } + 1; n.a max= 0; }"),
            "a=[0 1 1 2 3 -1] b=[-1 -1 -1 -1 -1 -1]");
  // Nodes are visited by level, each level in ascending order. InReverse visits in the opposite
  // order.
  EXPECT_EQ(then("InBFS (n: G.Nodes; r) { i += 1; n.a = i; } InReverse { i += 1; n.b = i; }"),
            "a=[1 2 3 4 5 -1] b=[10 8 9 7 6 -1]");
  EXPECT_EQ(then("InBFS (n: G.Nodes From r) { n.a = Count(u: n.UpNbrs) * 10 + Count(d: "
                 "n.DownNbrs); }"),
            "a=[2 11 11 22 20 -1] b=[-1 -1 -1 -1 -1 -1]");
  EXPECT_EQ(then("InBFS (n: G.Nodes From r) { } InReverse (n != r) { n.b = Sum(d: n.DownNbrs) {"
                 " d.b + 5 }; n.a = Count(u: n.UpNbrs); }"),
            "a=[-1 1 1 2 2 -1] b=[-1 15 15 10 0 -1]");
  // The navigator selects the nodes that are entered; the filter only selects those whose body
  // runs.
  EXPECT_EQ(then("InBFS (n: G.Nodes From r)[n.OutDegree() != 4] { n.a = 1; } InReverse { n.b = 2; "
                 "}"),
            "a=[1 1 1 -1 -1 -1] b=[2 2 2 -1 -1 -1]");
  EXPECT_EQ(then("InBFS (n: G.Nodes From r)[n.OutDegree() < 2](n != r) { n.a = 1; }"),
            "a=[-1 1 1 -1 -1 -1] b=[-1 -1 -1 -1 -1 -1]");
  EXPECT_EQ(then("InBFS (n: G.Nodes From r)(n.OutDegree() != 4) { n.a = 1; }"),
            "a=[1 1 1 -1 1 -1] b=[-1 -1 -1 -1 -1 -1]");
  // Traverses in-edges: 0 <- 3 <- {1 2}.
  EXPECT_EQ(then("InBFS (n: G^.Nodes From r) { i += 1; n.a = i; n.b = Count(u: n.UpNbrs); }"),
            "a=[1 3 4 2 -1 -1] b=[0 1 1 1 -1 -1]");
  EXPECT_EQ(then("InBFS (n: G.Nodes From NIL) { n.a = 1; }"),
            "a=[-1 -1 -1 -1 -1 -1] b=[-1 -1 -1 -1 -1 -1]");
  // The navigator sees the effects of the previous level's bodies.
  EXPECT_EQ(then("InBFS (n: G.Nodes From r)[n.b == 1 || n.OutDegree() == 1] { n.a = 1;"
                 " Foreach (m: n.Nbrs) { m.b = 1; } }"),
            "a=[1 1 1 1 1 -1] b=[1 1 1 1 1 -1]");
}

TEST(GreenMarlInterpreter, DepthFirst) {
  const std::string begin =
      "Procedure p(G: Graph; a: N_P<Int>, b: N_P<Int>) { Node r; Int i;"
      " For (e: G.Edges)(r == NIL) { r = e.FromNode(); } ";
  const auto then = [&](const std::string& rest) {
    return answer(begin + rest + " }", small_graph());
  };
  // Visits 0 1 3 4, returns to 0, then 2.
  EXPECT_EQ(then("InDFS (n: G.Nodes From r) { i++; n.a = i; } InPost { i++; n.b = i; }"),
            "a=[1 2 8 3 4 0] b=[10 7 9 6 5 0]");
  EXPECT_EQ(then("InDFS (n: G.Nodes From r)[n.OutDegree() != 1 || n.a == 7](n != r) { i++; n.a = "
                 "i; } InPost (n == r) { n.b = 1; }"),
            "a=[0 0 0 0 0 0] b=[1 0 0 0 0 0]");
  EXPECT_EQ(then("InDFS (n: G^.Nodes From r) { i++; n.a = i; }"),
            "a=[1 3 4 2 0 0] b=[0 0 0 0 0 0]");
  EXPECT_EQ(answer("Procedure p(G: Graph) : Node { Node last; For (r: G.Nodes) {"
                   " InDFS (n: G.Nodes From r) { If (n.OutDegree() == 4) Return n; } } Return NIL; "
                   "}",
                   small_graph()),
            "Return 3");
}

TEST(GreenMarlInterpreter, EmptyGraph) {
  EXPECT_EQ(answer("Procedure p(G: Graph; a: N_P<Int>, S: N_S) : Long { G.a = 1; Node n = "
                   "G.PickRandom(); InBFS (m: G.Nodes From n) { S.Add(m); }"
                   " Return G.NumNodes() + G.NumEdges() + Sum(m: G.Nodes) { m.a }; }",
                   {}),
            "Return 0 a=[] S=()");
}

}  // namespace
}  // namespace Atoll::greenmarl::oracle
