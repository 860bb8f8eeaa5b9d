// Data races between iterations of a Foreach, or between nodes in a level of an InBFS.
#include "greenmarl_mistakes.hpp"

namespace Atoll::greenmarl {
namespace {

TEST(GreenmarlMistakes, Conflicts) {
  expect_said({
      {"Foreach (t: G.Nodes) { n = 1; t.x = 2; }",
       {"2:24: warning: iterations of the Foreach over 't' may assign the same 'n', in no order; "
        "combine with += *= min= max= &= |=, declare it in the loop, or use For"}},
      {"Foreach (t: G.Nodes) { t.x = Sum(w: t.Nbrs){w.x}; }",
       {"2:45: warning: 'w.x' is read while iterations of the Foreach over 't' assign 't.x', in no "
        "order; defer the assignment: t.x <= … @ t"}},
      {"Foreach (t: G.Nodes) { r.x = 1; }",
       {"2:24: warning: iterations of the Foreach over 't' may assign the same 'r.x', in no order; "
        "combine with += *= min= max= &= |=, declare it in the loop, or use For"}},
      {"Foreach (t: G.Nodes) { s.Add(t); s.Remove(t); }",
       {"2:34: warning: iterations of the Foreach over 't' change 's' in two ways, in no order; "
        "change it in one way, or use For"}},
      {"Foreach (t: G.Nodes) { s.Add(t); If (s.Has(t)) n += 1; }",
       {"2:38: warning: 's' is read while iterations of the Foreach over 't' change it, in no "
        "order; read it after the loop, or use For"}},
      {"Foreach (t: G.Nodes) { While (n < 3) { n = n + 1; } }",
       {"2:40: warning: iterations of the Foreach over 't' may assign the same 'n', in no order; "
        "combine with += *= min= max= &= |=, declare it in the loop, or use For"}},
      {"Foreach (t: G.Nodes) { n += 1; n *= 2; t.x = 1; }",
       {"2:32: 'n' is combined with += and *= in the Foreach over 't'; use one operator, or two "
        "targets"}},
      {"Foreach (t: G.Nodes) { n += 1; t.x = n; }",
       {"2:38: data race: 'n' is read while iterations of the Foreach over 't' combine into it; "
        "read it after the loop, or use For"}},
      {"Foreach (t: G.Nodes) { n += 1; n = 0; }",
       {"2:32: data race: 'n' is assigned while iterations of the Foreach over 't' combine into "
        "it; assign it before or after the loop, or use For"}},
      {"Foreach (t: G.Nodes) { n += 1; t.x = n + n; t.x = n; n *= 2; n = 1; }",
       {"2:54: 'n' is combined with += and *= in the Foreach over 't'; use one operator, or two "
        "targets"}},
      {"Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { w.x = 1; } }",
       {"2:46: warning: iterations of the Foreach over 't' may assign the same 'w.x', in no order; "
        "combine with += *= min= max= &= |=, declare it in the loop, or use For"}},
      {"Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { t.x = 1; } }",
       {"2:46: warning: iterations of the Foreach over 'w' may assign the same 't.x', in no order; "
        "combine with += *= min= max= &= |=, declare it in the loop, or use For"}},
      {"Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { t.x += 1; If (t.x > 2) n += 1; } }",
       {"2:60: data race: 't.x' is read while iterations of the Foreach over 'w' combine into it; "
        "read it after the loop, or use For"}},
      {"Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { w.x += 1; w.x *= 2; } }",
       {"2:56: 'x' is combined with += and *= in the Foreach over 't'; use one operator, or two "
        "targets"}},
      {"Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { w.x += 1; } If (t.x > 1) n += 1; }",
       {"2:62: data race: 't.x' is read while iterations of the Foreach over 't' combine into it; "
        "read it after the loop, or use For"}},
      {"Foreach (t: G.Nodes) { s = s; s.Add(t); }",
       {"2:24: data race: 's' is assigned while iterations of the Foreach over 't' change it; "
        "assign it before or after the loop, or use For"}},
      {"Foreach (t: G.Nodes) { N_S u; s = u; }",
       {"2:31: warning: iterations of the Foreach over 't' may assign the same 's', in no order; "
        "combine with += *= min= max= &= |=, declare it in the loop, or use For"}},
      {"Foreach (t: G.Nodes) { q.PushBack(t); Node u = q.PopFront(); n += u.Degree(); }",
       {"2:48: warning: iterations of the Foreach over 't' change 'q' in two ways, in no order; "
        "change it in one way, or use For"}},
      {"Foreach (t: G.Nodes) { <n; r> min= <1; t>; n += 1; }",
       {"2:44: 'n' is combined with min= and += in the Foreach over 't'; use one operator, or two "
        "targets"}},
      {"Foreach (t: G.Nodes) { <n; r> min= <1; t>; r = t; }",
       {"2:44: data race: 'r' is assigned while iterations of the Foreach over 't' combine into "
        "it; assign it before or after the loop, or use For"}},
      {"Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { <n; r> min= <1; t> @ t; <n; r> min= <2; w> @ "
       "w; } }",
       {"2:91: this reduction is bound to two iterators; bind it to one"}},
      {"Foreach (e: G.Edges) { r.x = 1; e.len = 2; }",
       {"2:24: warning: iterations of the Foreach over 'e' may assign the same 'r.x', in no order; "
        "combine with += *= min= max= &= |=, declare it in the loop, or use For"}},
      {"InBFS (v: G.Nodes From r) { n = 1; Foreach (u: v.UpNbrs) { u.x = 1; } }",
       {"2:29: warning: iterations of the InBFS over 'v' may assign the same 'n', in no order; "
        "combine with += *= min= max= &= |=, declare it in the loop, or use For",
        "2:60: warning: iterations of the InBFS over 'v' may assign the same 'u.x', in no order; "
        "combine with += *= min= max= &= |=, declare it in the loop, or use For"}},
      {"G.x = r.x;",
       {"2:7: warning: 'r.x' is read while iterations of this assignment to all of 'G' assign "
        "'G.x', in no order; assign to a second property, or write Foreach and <="}},
      {"G.x = Sum(w: G.Nbrs){w.x};",
       {"2:22: warning: 'w.x' is read while iterations of this assignment to all of 'G' assign "
        "'G.x', in no order; assign to a second property, or write Foreach and <="}},
  });
}

TEST(GreenmarlMistakes, ConflictsOfAllProcedures) {
  expect_said({
      {"Proc p(G: Graph, a: N_P<Int>) {\n"
       "Foreach (t: G.Nodes) { Foreach (u: t.Nbrs) u.a += 1; t.a = 1; } }\n"
       "Proc q(G: Graph, a, b: N_P<Int>) {\n"
       "Foreach (t: G.Nodes) { Foreach (u: t.Nbrs) u.a += 1; t.b = t.a; } }",
       {"2:54: data race: 't.a' is assigned while iterations of the Foreach over 't' combine into "
        "it; assign it before or after the loop, or use For",
        "4:60: data race: 't.a' is read while iterations of the Foreach over 't' combine into it; "
        "read it after the loop, or use For"}},
  });
}

TEST(GreenmarlMistakes, WarningsBecomeErrors) {
  CompileOptions strict;
  strict.warnings_are_errors = true;
  expect_said(
      {
          {"Foreach (t: G.Nodes) { n = 1; t.x = 2; }",
           {"2:24: iterations of the Foreach over 't' may assign the same 'n', in no order; "
            "combine with += *= min= max= &= |=, declare it in the loop, or use For"}},
          {"Foreach (t: G.Nodes) { t.x = Sum(w: t.Nbrs){w.x}; }",
           {"2:45: 'w.x' is read while iterations of the Foreach over 't' assign 't.x', in no "
            "order; defer the assignment: t.x <= … @ t"}},
          {"Foreach (t: G.Nodes) { r.x = 1; }",
           {"2:24: iterations of the Foreach over 't' may assign the same 'r.x', in no order; "
            "combine with += *= min= max= &= |=, declare it in the loop, or use For"}},
          {"Foreach (t: G.Nodes) { s.Add(t); s.Remove(t); }",
           {"2:34: iterations of the Foreach over 't' change 's' in two ways, in no order; change "
            "it in one way, or use For"}},
          {"Foreach (t: G.Nodes) { s.Add(t); If (s.Has(t)) n += 1; }",
           {"2:38: 's' is read while iterations of the Foreach over 't' change it, in no order; "
            "read it after the loop, or use For"}},
          {"Foreach (t: G.Nodes) { While (n < 3) { n = n + 1; } }",
           {"2:40: iterations of the Foreach over 't' may assign the same 'n', in no order; "
            "combine with += *= min= max= &= |=, declare it in the loop, or use For"}},
      },
      strict);
}

// Diagnostics name a location by its expression in the program.
TEST(GreenmarlMistakes, ConflictsOfPlacesWithoutAName) {
  const std::string assigned =
      ", in no order; combine with += *= min= max= &= |=, declare it in the loop, or use For";
  expect_said({
      {"Foreach (t: G.Nodes) { G.x = t.Degree(); }",
       {"2:24: warning: iterations of the Foreach over 't' may assign the same 'G.x'" + assigned}},
      {"Foreach (t: G.Nodes) { s.x = t.Degree(); }",
       {"2:24: warning: iterations of the Foreach over 't' may assign the same 's.x'" + assigned}},
      {"Foreach (t: G.Nodes) { If (t.x > 1) G.x = 1; }",
       {"2:28: warning: 't.x' is read while iterations of the Foreach over 't' assign 'G.x', in no "
        "order; assign to a second property"}},
      {"Foreach (t: G.Nodes) { G.PickRandom().x = t.Degree(); }",
       {"2:24: warning: iterations of the Foreach over 't' may assign the same "
        "'G.PickRandom().x'" +
        assigned}},
      {"Foreach (t: G.Nodes) { Edge(r).len = 1; }",
       {"2:29: no edge led to 'r'; the iterator of a loop over Nbrs, InNbrs, UpNbrs or DownNbrs "
        "has an edge"}},
      {"Foreach (e: G.Edges) { e.FromNode().x = e.len; }",
       {"2:24: warning: iterations of the Foreach over 'e' may assign the same 'e.FromNode().x'" +
        assigned}},
  });
}

TEST(GreenmarlMistakes, ConflictsOfLevels) {
  // In the next iteration of For, the variable is another node.
  EXPECT_EQ(diagnostics_of(with_everything("InBFS (v: G.Nodes From r) { Node c = v;\n"
                                           "For (u: c.UpNbrs) { c = u; }\n"
                                           "Foreach (u: v.UpNbrs) { c.x += u.x; } }"))
                .at(0)
                .substr(0, 48),
            "4:32: data race: 'u.x' is read while iterations ");
  expect_said({
      {"InBFS (v: G.Nodes From r) {\nForeach (d: v.DownNbrs) { d.x = v.x + 1; } }",
       {"3:27: warning: iterations of the InBFS over 'v' may assign the same 'd.x', in no order; "
        "combine with += *= min= max= &= |=, declare it in the loop, or use For"}},
      // Two nodes of a level may have the same parent.
      {"InBFS (v: G.Nodes From r) {\nForeach (u: v.UpNbrs) { u.x += v.x; Foreach (d: u.DownNbrs) "
       "d.x += 1; } }",
       {"3:32: data race: 'v.x' is read while iterations of the InBFS over 'v' combine into it; "
        "read it after the loop, or use For"}},
      // Each iteration of the outer loop has its own traversal with its own levels.
      {"Foreach (t: G.Nodes) {\nInBFS (v: G.Nodes From t) {\nForeach (u: v.UpNbrs) { v.x += u.x; } "
       "} }",
       {"4:32: data race: 'u.x' is read while iterations of the Foreach over 't' combine into it; "
        "read it after the loop, or use For"}},
  });
}

// An edge is an out-edge of one node and an in-edge of another one.
TEST(GreenmarlMistakes, ConflictsOfEdges) {
  expect_said({
      {"Foreach (t: G.Nodes) {\nForeach (w: t.Nbrs) { w.ToEdge().len = 1; }\n"
       "t.x = Sum(w: t.InNbrs){w.ToEdge().len}; }",
       {"4:24: warning: 'w.ToEdge().len' is read while iterations of the Foreach over 't' assign "
        "'w.ToEdge().len', in no order; defer the assignment: w.ToEdge().len <= … @ t"}},
  });
  EXPECT_EQ(diagnostics_of(with_everything("Foreach (t: G.Nodes) {\nForeach (w: t.Nbrs) { "
                                           "w.ToEdge().len = 1; }\n"
                                           "t.x = Sum(w: t.Nbrs){w.ToEdge().len}; }")),
            std::vector<std::string>{});
}

TEST(GreenmarlMistakes, WhatIsNoConflict) {
  for (const char* body :
       {"For (t: G.Nodes) { n = n + 1; r.x = n; t.x = r.x; }",
        "Foreach (t: G.Nodes) { Int i = 0; For (w: t.Nbrs) { i = i + 1; } t.x = i; }",
        "Foreach (t: G.Nodes) { t.x = 1; t.x = t.x + 1; t.x += 2; }",
        "Foreach (t: G.Nodes) { t.x = 0; Foreach (w: t.Nbrs) { t.x += w.Degree(); } }",
        "Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { w.x += 1; } }",
        "Foreach (w: r.Nbrs) { w.x = 1; n += 1; n += 2; }",
        "G.x = 1; G.x = G.x + G.Degree();",
        "Foreach (t: G.Nodes) { t.x <= Sum(w: t.Nbrs){w.x} @ t; }",
        "For (t: G.Nodes) { For (w: t.Nbrs) { w.x <= t.x @ t; } }",
        "For (t: G.Nodes) { If (t.x > 1) Return; t.x = 1; }",
        "Foreach (t: G.Nodes) { While (t.x > 0) { t.x--; } If (t.x < 0) n += 1; }",
        "Foreach (t: G.Nodes) { s.Add(t); }",
        "Foreach (t: G.Nodes) { m[t] += 1; }",
        "Foreach (t: G.Nodes) { <n; r> min= <t.Degree(); t>; }",
        "Foreach (t: G.Nodes) { N_S u; u.Add(t); If (u.Has(t)) n += 1; }",
        "InBFS (v: G.Nodes From r) { v.x = Sum(u: v.UpNbrs){u.x}; } InReverse { v.x = Sum(w: "
        "v.DownNbrs){w.x}; }",
        "InBFS (v: G.Nodes From r) { Foreach (u: v.UpNbrs) { v.x += u.x; } }",
        "InBFS (v: G.Nodes From r) { Foreach (u: v.UpNbrs) { Foreach (w: u.UpNbrs) v.x += w.x; } }",
        "InBFS (v: G.Nodes From r) { } InReverse { Foreach (d: v.DownNbrs) { v.x += d.x; } }",
        "InBFS (v: G^.Nodes From r) { Node c = v; Foreach (u: c.UpNbrs) { c.x += u.x; } }",
        "InDFS (v: G.Nodes From r) { n = n + 1; v.x = n; Return; }",
        "N_P<Int> n; G.n = 1; Int x = 2; G.x = x;"})
    EXPECT_EQ(diagnostics_of(with_everything(body)), std::vector<std::string>{}) << body;
}

}  // namespace
}  // namespace Atoll::greenmarl
