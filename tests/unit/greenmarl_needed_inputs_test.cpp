// Inputs that a run requires: properties that a procedure may read before it writes them.
#include <gmock/gmock.h>

#include "greenmarl_support.hpp"

namespace Atoll::greenmarl {
namespace {

/// Returns the required inputs of a procedure with node inputs a and b, edge input w and output x.
std::vector<std::string> needed_by(const std::string& body) {
  const CompiledProcedure program = compile(
      "Procedure p(G: Graph, r: Node, k: Int, a, b: N_P<Int>(G), w: E_P<Int>(G); x: N_P<Int>(G)) : "
      "Int {\n" +
          body + "\n  Return 0;\n}\n",
      "x.gm");
  const auto names = [](const std::vector<ArrayUse>& arrays) {
    std::vector<std::string> needed;
    for (const ArrayUse& use : arrays)
      if (use.needed) needed.push_back(use.name);
    return needed;
  };
  EXPECT_EQ(names(program.declared), names(program.procedure.arrays));
  return names(program.procedure.arrays);
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(GreenMarlNeededInputs, ReadsNeedThem) {
  EXPECT_THAT(needed_by("Foreach (n: G.Nodes) { n.x = n.a; }"), ElementsAre("a"));
  EXPECT_THAT(
      needed_by(
          "Foreach (n: G.Nodes) { For (t: n.Nbrs) { Edge e = t.ToEdge(); n.x += e.w + t.b; } }"),
      ElementsAre("b", "w"));
  EXPECT_THAT(needed_by("Return r.a;"), ElementsAre("a"));
  EXPECT_THAT(needed_by("Return Sum(n: G.Nodes) { n.a };"), ElementsAre("a"));
  EXPECT_THAT(needed_by("Foreach (n: G.Nodes)(n.a > 0) { n.x = 1; }"), ElementsAre("a"));
  EXPECT_THAT(needed_by("G.x = G.a;"), ElementsAre("a"));
  EXPECT_THAT(needed_by("InBFS (t: G.Nodes From r)[t.a > 0] { t.x = t.b; }"),
              ElementsAre("a", "b"));
  EXPECT_THAT(needed_by("While (r.a > 0) { k += 1; }"), ElementsAre("a"));
  EXPECT_THAT(needed_by("Int i = [$r.a];"), ElementsAre("a"));
}

TEST(GreenMarlNeededInputs, WhatIsOnlyWrittenOrUnusedIsNot) {
  EXPECT_THAT(needed_by(""), IsEmpty());
  EXPECT_THAT(needed_by("G.a = 5; r.b = 7; G.w = 1;"), IsEmpty());
  EXPECT_THAT(needed_by("Foreach (n: G.Nodes) { n.a = n.OutDegree(); }"), IsEmpty());
  EXPECT_THAT(needed_by("Foreach (n: G.Nodes) { n.x = n.x + 1; }"),
              IsEmpty());  // outputs are initialized to 0
}

TEST(GreenMarlNeededInputs, CombiningReads) {
  EXPECT_THAT(needed_by("r.a += 1;"), ElementsAre("a"));
  EXPECT_THAT(needed_by("Foreach (n: G.Nodes) { Foreach (t: n.Nbrs) { t.b min= 3; } }"),
              ElementsAre("b"));
  EXPECT_THAT(needed_by("Foreach (n: G.Nodes) { <n.a; n.b> min= <1; 2>; }"), ElementsAre("a"));
  EXPECT_THAT(needed_by("G.a = 0; r.a += 1;"), IsEmpty());
}

TEST(GreenMarlNeededInputs, WrittenInFullFirst) {
  EXPECT_THAT(
      needed_by(
          "G.a = 0; G.w = k; Foreach (n: G.Nodes) { n.x = n.a; } Return Sum(e: G.Edges) { e.w };"),
      IsEmpty());
  EXPECT_THAT(needed_by("Foreach (n: G.Nodes) { n.a = 1; } Return r.a;"), IsEmpty());
  EXPECT_THAT(needed_by("Foreach (n: G.Nodes) { n.a = 1; n.x = n.a; }"), IsEmpty());
  EXPECT_THAT(needed_by("Foreach (n: G.Nodes) { n.x = n.a; n.a = 1; }"), ElementsAre("a"));
  EXPECT_THAT(needed_by("r.a = 1; Return r.a;"), IsEmpty());
  EXPECT_THAT(needed_by("Foreach (n: G.Nodes) { n.a <= 1 @ n; } Return r.a;"), IsEmpty());
  EXPECT_THAT(needed_by("Do { G.a = 1; } While (r.a > 1);"), IsEmpty());
  EXPECT_THAT(needed_by("Foreach (e: G.Edges) { e.w = 1; } Return Sum(e: G.Edges) { e.w };"),
              IsEmpty());
}

TEST(GreenMarlNeededInputs, WrittenInPartFirst) {
  EXPECT_THAT(needed_by("r.a = 1; Return Sum(n: G.Nodes) { n.a };"), ElementsAre("a"));
  EXPECT_THAT(needed_by("Foreach (n: G.Nodes)(n.OutDegree() > 3) { n.a = 1; } Return r.a;"),
              ElementsAre("a"));
  EXPECT_THAT(needed_by("For (n: r.Nbrs) { n.a = 1; } Return r.a;"), ElementsAre("a"));
  EXPECT_THAT(needed_by("InBFS (t: G.Nodes From r) { t.a = 1; } Return r.a;"), ElementsAre("a"));
  EXPECT_THAT(needed_by("While (k > 0) { G.a = 1; k += -1; } Return r.a;"), ElementsAre("a"));
  EXPECT_THAT(needed_by("Node m = r; m.a = 1; m = G.PickRandom(); Return m.a;"), ElementsAre("a"));
  EXPECT_THAT(needed_by("Foreach (n: G.Nodes) { n.a <= n.a + 1 @ n; }"), ElementsAre("a"));
}

TEST(GreenMarlNeededInputs, IterationsSeeOtherElements) {
  const auto before = [](const std::string& loop) {
    return needed_by("Node m = r; Int i = k; m.a = 1; " + loop);
  };
  const std::string next = " m = G.PickRandom(); i += -1; ";
  EXPECT_THAT(before("Do { m.x = m.a;" + next + "} While (i > 0);"), ElementsAre("a"));
  EXPECT_THAT(before("Do { m.x = m.a;" + next + "m.a = 2; } While (i > 0);"), IsEmpty());
  EXPECT_THAT(before("Do {" + next + "} While (m.a > 0);"), ElementsAre("a"));
  EXPECT_THAT(before("Do {" + next + "} While (i > 0); Return m.a;"), ElementsAre("a"));
  EXPECT_THAT(before("Do { i += -1; } While (m.a > i); Return m.a;"), IsEmpty());
  EXPECT_THAT(before("While (i > 0) {" + next + "} Return m.a;"), ElementsAre("a"));
  EXPECT_THAT(before("While (m.a > i) {" + next + "}"), ElementsAre("a"));
  EXPECT_THAT(before("While (m.a > i) { i += 1; } Return m.a;"), IsEmpty());
  EXPECT_THAT(before("For (n: r.Nbrs) {" + next + "} Return m.a;"), ElementsAre("a"));
  std::string deep = "i += -1;";
  for (int depth = 0; depth < 40; ++depth) deep = "Do { " + deep + " } While (i > 0);";
  EXPECT_THAT(before(deep + " Return m.a;"), IsEmpty());
}

TEST(GreenMarlNeededInputs, BranchesMeet) {
  EXPECT_THAT(needed_by("If (k > 0) { k = 0; } Else { G.a = 2; } Return r.a;"), ElementsAre("a"));
  EXPECT_THAT(needed_by("If (k > 0) { G.a = 1; } Else { G.a = 2; } Return r.a;"), IsEmpty());
  EXPECT_THAT(needed_by("If (k > 0) { G.a = 1; } Return r.a;"), ElementsAre("a"));
  EXPECT_THAT(needed_by("If (k > 0) { G.a = 1; } Else { Return 7; } Return r.a;"), IsEmpty());
  EXPECT_THAT(needed_by("If (k > 0) { Return r.a; } G.a = 1;"), ElementsAre("a"));
}

TEST(GreenMarlNeededInputs, CallsDoWhatTheirBodiesDo) {
  const auto needed = [](const std::string& body) {
    const CompiledProcedure program = compile(
        "Procedure p(G: Graph, a: N_P<Int>(G)) : Int {\n" + body +
            "\n}\n"
            "Local zero(G: Graph; y: N_P<Int>(G)) { G.y = 0; }\n"
            "Local total(G: Graph, y: N_P<Int>(G)) : Int { Return Sum(n: G.Nodes) { n.y }; }\n",
        "x.gm");
    return program.procedure.arrays.back().needed;
  };
  EXPECT_TRUE(needed("Return total(G, a);"));
  EXPECT_FALSE(needed("zero(G, a); Return total(G, a);"));
}

}  // namespace
}  // namespace Atoll::greenmarl
