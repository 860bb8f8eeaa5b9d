// Each pass: its transformations, and programs that it must not change.
#include "greenmarl_support.hpp"

namespace Atoll::greenmarl {
namespace {

/// Returns the program after the passes up to `last`, without the first line.
std::string after(const std::string& last, const std::string& body) {
  const std::string text = Stage(with_body(body)).through(last).text();
  return text.substr(text.find('\n') + 1);
}

std::string lowered(const std::string& body) {
  const std::string text = Stage(with_body(body)).text();
  return text.substr(text.find('\n') + 1);
}

TEST(GreenmarlLowering, ReductionsBecomeLoops) {
  EXPECT_EQ(lowered("Foreach (t: G.Nodes)(t.Degree() > n) { t.x = Avg(w: t.Nbrs)(w != r){n}; }"),
            R"(  parallel t in Nodes
    if (t.OutDegree() > Long(n))
      Double sum = 0
      Long count = 0
      foreach w in Nbrs(t)
        if (w != r)
          sum += Double(n)
          count += 1
      x[t] = ((count == 0) ? 0 : (sum / Double(count)))
)");
}

TEST(GreenmarlLowering, ReductionsRunOnlyWhereTheirValueIsNeeded) {
  EXPECT_EQ(lowered("G.x = (n > 1 && Exist(t: G.Nodes){t == r}) ? Sum(t: G.Nodes){1} : 2;"),
            R"(  parallel v in Nodes
    Bool condition = (n > 1)
    if condition
      Bool any = false
      foreach t in Nodes
        any |= (t == r)
      condition = any
    Int chosen = 0
    if condition
      Int sum = 0
      foreach t in Nodes
        sum += 1
      chosen = sum
    else
      chosen = 2
    x[v] = Double(chosen)
)");
  EXPECT_EQ(lowered("G.x = 1; While (Count(t: G.Nodes)(t.x > n) > 3) { n++; }"),
            R"(  parallel v in Nodes
    x[v] = 1
  while (count > 3) (k)
    n += 1
  condition
    Long count = 0
    parallel t in Nodes
      if (x[t] > Double(n))
        count += 1
)");
}

TEST(GreenmarlLowering, InfinityTakesTheTypeOfItsContext) {
  const std::string code =
      compile(
          "Proc p(G: Graph; a: N_P<Long>, b: N_P<Double>) { G.a = G.Degree() > 3 ? 0 : INF; G.b "
          "= -INF; Int i = INF; Bool f = i < INF; G.a min= (Long) f; }",
          "x.gm")
          .cpp;
  EXPECT_NE(code.find("? 0 : std::numeric_limits<std::int64_t>::max()"), std::string::npos);
  EXPECT_NE(code.find("-std::numeric_limits<double>::infinity()"), std::string::npos);
  EXPECT_NE(code.find("i = std::numeric_limits<std::int32_t>::max()"), std::string::npos);
  EXPECT_NE(code.find("i < std::numeric_limits<std::int32_t>::max()"), std::string::npos);
}

TEST(GreenmarlPasses, ExpandDeferred) {
  EXPECT_EQ(after("expand_deferred", "Foreach (t: G.Nodes) { t.x <= t.x + 1 @ t; }"),
            R"(  parallel t in Nodes
    x_nxt[t] = (x[t] + 1)
  copy x = x_nxt
)");
  // Some elements might not be assigned, so the second array starts as a copy.
  EXPECT_EQ(after("expand_deferred", "Foreach (t: G.Nodes)(t != r) { t.x <= 1; }"),
            R"(  parallel t in Nodes
    x_nxt[t] = x[t]
    if (t != r)
      x_nxt[t] = 1
  copy x = x_nxt
)");
  EXPECT_EQ(after("expand_deferred", "For (t: G.Nodes) { For (w: t.Nbrs) { w.x <= 1 @ t; } }"),
            R"(  parallel v in Nodes
    x_nxt[v] = x[v]
  for t in Nodes
    for w in Nbrs(t)
      x_nxt[w] = 1
  copy x = x_nxt
)");
  // All loops share one second array, which has a unique name.
  EXPECT_EQ(after("expand_deferred",
                  "Int x_nxt = n; Foreach (t: G.Nodes) { t.x <= 1; } Foreach (t: "
                  "G.Nodes) { t.x <= 2; }"),
            R"(  Int x_nxt = n
  parallel t in Nodes
    x_nxt2[t] = 1
  copy x = x_nxt2
  parallel t in Nodes
    x_nxt2[t] = 2
  copy x = x_nxt2
)");
}

TEST(GreenmarlPasses, MaterialiseGathers) {
  // The gathered array has the largest subexpression that depends only on the neighbour. Equal
  // subexpressions share one array.
  EXPECT_EQ(
      after("materialise_gathers",
            "N_P<Int> y; Foreach (t: G.Nodes) { t.x = Sum(w: t.Nbrs){w.y * w.Degree() + t.y} + "
            "Max(u: t.InNbrs){n / 3.0 * (u.y * u.Degree())}; }"),
      R"(  parallel w in Nodes
    y_term[w] = (Long(y[w]) * w.OutDegree())
  parallel u in Nodes
    y_term2[u] = ((Double(n) / 3) * Double((Long(y[u]) * u.OutDegree())))
  parallel t in Nodes
    Long sum = 0
    foreach w in Nbrs(t)
      sum += (y_term[w] + Long(y[t]))
    Double greatest = -INF
    foreach u in InNbrs(t)
      greatest max= y_term2[u]
    x[t] = (Double(sum) + greatest)
)");
  EXPECT_EQ(
      after("materialise_gathers",
            "Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { n += (Int) (1.0 / w.Degree()); n += "
            "(Int) (1.0 / w.Degree()); } t.x = 0; }"),
      R"(  parallel w in Nodes
    degree_term[w] = Int((1 / Double(w.OutDegree())))
  parallel t in Nodes
    foreach w in Nbrs(t)
      n += degree_term[w]
      n += degree_term[w]
    x[t] = 0
)");
}

TEST(GreenmarlPasses, MaterialisesOnlyWhatIsWorthItAndSafe) {
  for (const char* body : {
           // reads only one array, and has no division
           "Foreach (t: G.Nodes) { t.x = Sum(w: t.Nbrs){w.Degree() * 2}; }",
           // not evaluated at every edge: after a condition in either loop, after &&, in one branch
           "N_P<Int> y; Foreach (t: G.Nodes) { t.x = Sum(w: t.Nbrs)(n > 1){w.y * w.Degree()}; }",
           "N_P<Int> y; Foreach (t: G.Nodes)(n > 1) { t.x = Sum(w: t.Nbrs){w.y * w.Degree()}; }",
           "N_P<Int> y; Foreach (t: G.Nodes) { t.x = Count(w: t.Nbrs)(t.y > 1 && w.y * w.Degree() "
           "> 1); }",
           "N_P<Int> y; Foreach (t: G.Nodes) { t.x = Sum(w: t.Nbrs){t.y > 1 ? w.y * w.Degree() : "
           "1}; }",
           // the loop doesn't cover all nodes
           "N_P<Int> y; Foreach (t: r.Nbrs) { t.x = Sum(w: t.Nbrs){w.y * w.Degree()}; }",
           // the subexpression depends on more than the neighbour
           "N_P<Int> y; Foreach (t: G.Nodes) { t.x = Sum(w: t.Nbrs){w.y * t.y * w.Degree()}; }",
           "N_P<Int> y; Foreach (t: G.Nodes) { Int i = t.y; t.x = Sum(w: t.Nbrs){i * w.y / 2.0}; }",
           // the division could fail at nodes where the program doesn't evaluate it
           "N_P<Int> y; Foreach (t: G.Nodes) { t.x = Sum(w: t.Nbrs){w.y / w.Degree()}; }",
           // the array changes while the loop runs
           "N_P<Int> y; For (t: G.Nodes) { t.y = Sum(w: t.Nbrs){w.y / 2.0 > 1 ? 1 : 0}; t.x = 1; }",
       })
    EXPECT_EQ(after("materialise_gathers", body), after("expand_deferred", body)) << body;
}

TEST(GreenmarlPasses, DropSecondArrays) {
  const auto drops = [](const std::string& body) {
    return after("drop_second_arrays", body).find("x_nxt") == std::string::npos;
  };
  EXPECT_EQ(after("drop_second_arrays",
                  "Foreach (t: G.Nodes)(t != r) { n += (Int) t.x; t.x <= t.x + 1; }"),
            R"(  parallel t in Nodes
    if (t != r)
      n += Int(x[t])
      x[t] = (x[t] + 1)
)");
  EXPECT_FALSE(drops("Foreach (t: G.Nodes) { t.x <= Sum(w: t.Nbrs){w.x}; }"));
  EXPECT_FALSE(drops("Foreach (t: G.Nodes) { t.x <= 1; n += (Int) t.x; }")) << "read afterwards";
  EXPECT_FALSE(drops("Foreach (t: G.Nodes) { If (t != r) { t.x <= 1; } n += (Int) t.x; }"));
  EXPECT_FALSE(drops("Foreach (t: G.Nodes) { For (w: t.Nbrs) { t.x <= t.x + 1 @ t; } }"))
      << "read by the next round of the inner loop";
  EXPECT_FALSE(drops("For (t: G.Nodes) { For (w: t.Nbrs) { w.x <= 1 @ t; } }"));
  EXPECT_FALSE(drops("For (t: G.Nodes) { t.x <= 1; If (n > 1) Return; }"))
      << "until the loop ends, nothing is assigned";
  EXPECT_TRUE(drops("Foreach (t: G.Nodes) { If (t != r) { t.x <= 1; } Else { t.x <= t.x * 2; } }"));
  EXPECT_TRUE(drops("Foreach (t: G.Nodes) { Foreach (w: t.Nbrs) { n += (Int) t.x; } t.x <= 1; }"));
  EXPECT_TRUE(drops("Foreach (t: G.Nodes) { t.x <= 1; } Foreach (t: G.Nodes) { t.x <= t.x + 2; }"));
}

TEST(GreenmarlPasses, SwapSecondArrays) {
  EXPECT_EQ(after("swap_second_arrays", "Foreach (t: G.Nodes) { t.x <= Sum(w: t.Nbrs){w.x}; }"),
            R"(  parallel t in Nodes
    Double sum = 0
    foreach w in Nbrs(t)
      sum += x[w]
    x_nxt[t] = sum
  swap x, x_nxt
)");
}

TEST(GreenmarlPasses, FuseLoops) {
  EXPECT_EQ(after("fuse_loops",
                  "N_P<Int> y; Long s; G.y = n; Int a = n; G.x = G.y; a = 2; Foreach (t: G.Nodes) "
                  "{ t.x = t.x "
                  "* a; s += 1; }"),
            R"(  Long s = 0
  Int a = n
  a = 2
  parallel v in Nodes
    y[v] = n
    x[v] = Double(y[v])
    x[v] = (x[v] * Double(a))
    s += 1
)");
  // The contribution is computed in the loop that computes the property on which it depends.
  EXPECT_EQ(
      after("fuse_loops",
            "N_P<Double> y; G.y = 1.0 / n; Foreach (t: G.Nodes) { t.x = Sum(w: t.InNbrs){w.y / "
            "w.Degree()}; }"),
      R"(  parallel v in Nodes
    y[v] = (1 / Double(n))
    y_term[v] = (y[v] / Double(v.OutDegree()))
  parallel t in Nodes
    Double sum = 0
    foreach w in InNbrs(t)
      sum += y_term[w]
    x[t] = sum
)");
}

TEST(GreenmarlPasses, FusesOnlyIndependentLoops) {
  for (const char* body : {
           // one loop gathers the property that the other one writes
           "N_P<Int> y; G.y = n; Foreach (t: G.Nodes) { t.x = Sum(w: t.Nbrs){w.y}; }",
           "N_P<Int> y; Foreach (t: G.Nodes) { t.x = Sum(w: t.Nbrs){w.y}; } G.y = n;",
           // one loop uses the result of the other one's reduction
           "Foreach (t: G.Nodes) { n += 1; } G.x = n;",
           "G.x = n; Foreach (t: G.Nodes) { n += 1; }",
           // two different reductions of one variable
           "Foreach (t: G.Nodes) { n += 1; } Foreach (t: G.Nodes) { n *= 2; t.x = 1; }",
           // another statement between the loops
           "N_P<Int> y; G.y = n; n = 1; G.x = n;",
           "N_P<Int> y; G.y = 2; Int a = r.y; G.x = a;",
           "N_P<Int> y; G.y = n; If (n > 1) { n = 2; } G.x = 1;",
           // one of the loops is serial
           "N_P<Int> y; G.y = n; For (t: G.Nodes) { t.x = t.y; }",
           "N_P<Int> y; G.y = n; Foreach (t: r.Nbrs) { t.x = t.y; }",
       })
    EXPECT_EQ(after("fuse_loops", body), after("swap_second_arrays", body)) << body;
}

TEST(GreenmarlPasses, RecogniseFills) {
  EXPECT_EQ(after("recognise_fills", "G.x = n * 2; Foreach (t: r.Nbrs) { t.x = 1; } G.x = G.x;"),
            R"(  fill x = Double((n * 2))
  foreach t in Nbrs(r)
    x[t] = 1
  parallel v in Nodes
    x[v] = x[v]
)");
}

TEST(GreenmarlPasses, HoistInvariants) {
  EXPECT_EQ(
      after("hoist_invariants",
            "Double d = n; Int i = 0; While (i < n * 2) { i++; Foreach (t: G.Nodes) { t.x = t.x "
            "* ((1 - d) / G.NumNodes()) + (i + 1) * (n * 2); } }"),
      R"(  Double d = Double(n)
  Int i = 0
  Int invariant = (n * 2)
  Double invariant = ((1 - d) / Double(NumNodes()))
  while (i < invariant) (k)
    i += 1
    Double invariant = Double(((i + 1) * invariant))
    parallel t in Nodes
      x[t] = ((x[t] * invariant) + invariant)
)");
  for (const char* body : {
           "For (t: G.Nodes) { n = n + 1; t.x = n * 2; }",               // n changes in the loop
           "Foreach (t: G.Nodes) { Int i = t.Degree(); t.x = i * 2; }",  // i is local to the loop
           "For (t: G.Nodes) { If (n != 0) t.x = 7 / n; }",              // a division by 0 may fail
           "Foreach (t: G.Nodes) { t.x = t.x * (2 * 3); }",              // constants aren't hoisted
       })
    EXPECT_EQ(after("hoist_invariants", body), after("recognise_fills", body)) << body;
}

TEST(GreenmarlPasses, PrivatiseReductions) {
  EXPECT_EQ(after("privatise_reductions",
                  "N_P<Int> y; Foreach (t: G.Nodes) { t.x = 0; Foreach (w: t.Nbrs) { t.x += "
                  "w.Degree(); t.y max= w.Degree(); } }"),
            R"(  parallel t in Nodes
    x[t] = 0
    Double own_x = x[t]
    Int own_y = y[t]
    foreach w in Nbrs(t)
      own_x += Double(w.OutDegree())
      own_y max= Int(w.OutDegree())
    y[t] = own_y
    x[t] = own_x
)");
  for (const char* body : {
           "For (t: G.Nodes) { For (w: t.Nbrs) { t.x += 1; n = (Int) w.x; } }",  // x is read, too
           "For (t: G.Nodes) { For (w: t.Nbrs) { t.x += 1; w.x *= 2; } }",       // w may be t
           "For (t: G.Nodes) { For (w: t.Nbrs) { t.x += 1; t.x *= 2; } }",       // two operations
           "For (w: r.Nbrs) { r.x += 1; If (w == r) Return; }",                  // may end early
           "For (w: r.Nbrs) { w.x += 1; }",
       })
    EXPECT_EQ(after("privatise_reductions", body), after("hoist_invariants", body)) << body;
}

TEST(GreenmarlPasses, CountTrips) {
  EXPECT_EQ(
      after("count_trips", "G.x = r.Degree(); While (n > 0) { n--; Do { n--; } While (n > 5); }"),
      R"(  Long trips_k = 0
  Long trips_k2 = 0
  parallel v in Nodes
    x[v] = Double(r.OutDegree())
  while (n > 0) (k)
    trips_k += 1
    n += -1
    do while (n > 5) (k2)
      trips_k2 += 1
      n += -1
)");
}

TEST(GreenmarlPasses, PageRankBecomesThePullAlgorithm) {
  EXPECT_EQ(Stage(read_file(ATOLL_SOURCE_DIR "/apps/greenmarl/pagerank.gm"))
                .through("count_trips")
                .text(),
            R"(pagerank
  Long trips_k = 0
  Double N = Double(NumNodes())
  fill pg_rank = (1 / N)
  Int cnt = 0
  Double diff = 0
  Double invariant = ((1 - d) / N)
  do while ((diff > e) && (cnt < max)) (k)
    trips_k += 1
    diff = 0
    cnt += 1
    parallel w in Nodes
      pg_rank_term[w] = (pg_rank[w] / Double(w.OutDegree()))
    parallel t in Nodes
      Double sum = 0
      foreach w in InNbrs(t)
        sum += pg_rank_term[w]
      Double val = (invariant + (d * sum))
      diff += |(val - pg_rank[t])|
      pg_rank[t] = val
  return cnt
)");
}

}  // namespace
}  // namespace Atoll::greenmarl
