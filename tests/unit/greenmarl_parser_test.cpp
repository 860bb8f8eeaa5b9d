// The syntax tree: if it is printed and parsed again, the result is the same tree. Also precedence
// and all constructs.
#include "greenmarl/parser.hpp"

#include <filesystem>

#include "greenmarl_support.hpp"

namespace Atoll::greenmarl {
namespace {

using ast::ExprKind;
using ast::StmtKind;
using ast::TypeName;

ast::Module tree(const std::string& text) {
  const Source source{"x.gm", text};
  Diagnostics diagnostics(source);
  ast::Module module = parse(diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    ADD_FAILURE() << diagnostic.to_string() << "\n" << text;
  return module;
}

ast::Procedure first(const std::string& text) {
  const ast::Module module = tree(text);
  return module.procedures.empty() ? ast::Procedure{} : module.procedures[0];
}

/// Returns the statements of the procedure's body.
std::vector<ast::Stmt> statements(const std::string& body) {
  return first("Proc p(G: Graph) {" + body + "}").body;
}

ast::Stmt statement(const std::string& body) {
  const auto all = statements(body);
  EXPECT_EQ(all.size(), 1U) << body;
  return all.empty() ? ast::Stmt{} : all[0];
}

std::string expression(const std::string& text) {
  const ast::Stmt assign = statement("y = " + text + ";");
  return assign.values.empty() ? "" : ast::print(assign.values[0]);
}

/// Returns the body as printed, joined to one line.
std::string printed(const std::string& body) {
  ast::Procedure procedure;
  procedure.name.text = "p";
  procedure.body = statements(body);
  const std::string text = ast::print(procedure);
  std::string line;
  for (const char c : text.substr(text.find('\n'))) {
    if (c != '\n' && c != ' ')
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (line.ends_with(' ') || line.ends_with('}')) {
    const bool brace = line.back() == '}';
    line.pop_back();
    if (brace) break;
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

TEST(GreenmarlParser, RoundTripOfPrograms) {
  namespace fs = std::filesystem;
  int programs = 0;
  for (const char* folder : {"/apps/greenmarl", "/tests/programs", "/tests/fuzz/seeds/greenmarl"})
    for (const auto& entry : fs::directory_iterator(std::string(ATOLL_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".gm") continue;
      const ast::Module module = tree(read_file(entry.path()));
      const std::string text = ast::print(module);
      EXPECT_EQ(tree(text), module) << text;
      EXPECT_EQ(ast::print(tree(text)), text);
      ++programs;
    }
  EXPECT_GE(programs, 7);
}

TEST(GreenmarlParser, EveryConstructIsCompiled) {
  EXPECT_EQ(error_of(read_file(ATOLL_SOURCE_DIR "/tests/fuzz/seeds/greenmarl/every_construct.gm")),
            "");
}

TEST(GreenmarlParser, EqualTreesAreEqualPrograms) {
  const std::string text = with_body("G.x = 1;");
  EXPECT_EQ(tree(text), tree("// moved down\n\n" + text));
  EXPECT_NE(tree(text), tree(with_body("G.x = 2;")));
}

TEST(GreenmarlParser, Precedence) {
  EXPECT_EQ(expression("a + b * c - d"), "((a + (b * c)) - d)");
  EXPECT_EQ(expression("a / b % c * d"), "(((a / b) % c) * d)");
  EXPECT_EQ(expression("-a * b"), "((-a) * b)");
  EXPECT_EQ(expression("!a && b Or c == d < e"), "(((!a) && b) || (c == (d < e)))");
  EXPECT_EQ(expression("a ? b : c ? d : e"), "(a ? b : (c ? d : e))");
  EXPECT_EQ(expression("(Int) a + b"), "(((Int) a) + b)");
  EXPECT_EQ(expression("| a - |b| |"), "|(a - |b|)|");
  EXPECT_EQ(expression("+INF"), "INF");
  EXPECT_EQ(expression("-INF"), "(-INF)");
  EXPECT_EQ(expression("1 - Sum(w: t.InNbrs)(w.a > 1){w.b} / G.NumNodes()"),
            "(1 - (Sum(w: t.InNbrs)((w.a > 1)){w.b} / G.NumNodes()))");
}

// Each expression is printed as written here, except for spaces and parentheses.
TEST(GreenmarlParser, Expressions) {
  for (const char* text : {"12",
                           "1.5",
                           "True",
                           "False",
                           "INF",
                           "NIL",
                           "a",
                           "a.b",
                           "a.b.c",
                           "a.b.c()",
                           "f()",
                           "f(a)",
                           "f(a, (b + 1), G)",
                           "n.Degree()",
                           "s.Has(n)",
                           "n.s.Has(m)",
                           "e.ToNode().x",
                           "e.FromNode().s.Size()",
                           "f(a).x",
                           "m[k]",
                           "m[f(k)]",
                           "m[(a + b)]",
                           "n.m[k]",
                           "m[k].x",
                           "m[k].Degree()",
                           "Edge(n)",
                           "Edge(n).w",
                           "Edge(n.m).w",
                           "Edge(n).ToNode().x",
                           "(-a).b",
                           "(a + b).c",
                           "(1).c",
                           "(Sum(t: G.Nodes){1}).c",
                           "|a|",
                           "(|a|).b",
                           "([ x ]).y",
                           "Uniform()",
                           "((Bool) a)",
                           "((Long) a)",
                           "((Float) a)",
                           "(a ? b : c)",
                           "Product(t: G.Nodes){t.x}",
                           "Min(e: G.Edges)(e.w > 1){e.w}",
                           "Max(t: n.Nbrs){t.x}",
                           "Count(t: n.UpNbrs)",
                           "Count(t: n.DownNbrs)(t.x)",
                           "All(t: s.Items){t.x}",
                           "Exist(t: n.s.Items){t.x}",
                           "Avg(c: a.CommonNbrs(b)){c.x}",
                           "Sum(t: G^.Nodes){1}",
                           "Sum(t: s-.Items){1}",
                           "Sum(t: m[k].Items){1}",
                           "Sum(t: Edge(n).s.Items){1}",
                           "Sum(t: G.Nodes){Sum(w: t.Nbrs){w.x}}",
                           "[sin(1)]",
                           "[f($a, $b.c, \"]\")]",
                           "[]"}) {
    const std::string read = expression(text);
    std::string plain;  // the text without parentheses around comparisons
    EXPECT_TRUE(read == text || expression(read) == read) << text << " is read as " << read;
    const std::string squeezed = [&] {
      std::string result;
      for (const char c : read)
        if (c != ' ' && c != '(' && c != ')') result += c;
      return result;
    }();
    std::string wanted;
    for (const char c : std::string(text))
      if (c != ' ' && c != '(' && c != ')') wanted += c;
    EXPECT_EQ(squeezed, wanted);
  }
}

TEST(GreenmarlParser, ForeignTextIsSplitAtItsNames) {
  const ast::Stmt stmt = statement("y = [f($a + $b.c.d, 3 $e.5)];");
  const ast::Expr& foreign = stmt.values.at(0);
  ASSERT_EQ(foreign.kind, ExprKind::foreign);
  EXPECT_EQ(foreign.texts, (std::vector<std::string>{"f(", " + ", ", 3 ", ".5)"}));
  ASSERT_EQ(foreign.args.size(), 3U);
  EXPECT_EQ(ast::print(foreign.args[1]), "b.c.d");
  EXPECT_EQ(foreign.args[2].kind, ExprKind::name);
}

TEST(GreenmarlParser, ForeignStatementsFollowEachOther) {
  EXPECT_EQ(error_of(with_body("[ $n = 1; ] :: [n]\n[ $n = 2; ] :: [n, r.x];\nn = [ $n ];")), "");
}

TEST(GreenmarlParser, Statements) {
  struct Case {
    const char* written;
    const char* read;
  };
  for (const auto& [written, read] : std::initializer_list<Case>{
           {";", "{ }"},
           {"{ a = 1; { b = 2; } }", "{ a = 1; { b = 2; } }"},
           {"Int a, b;", "Int a, b;"},
           {"Int a = 1, b, c = 2, d;", "Int a = 1; Int b; Int c = 2; Int d;"},
           {"Int a, b, c = 2, d;", "Int a, b; Int c = 2; Int d;"},
           {"Graph H;", "Graph H;"},
           {"Node n; Node(G) m; Edge e; Edge(G) f = NIL;",
            "Node n; Node(G) m; Edge e; Edge(G) f = NIL;"},
           {"N_P<Int> p, q;", "Node_Prop<Int> p, q;"},
           {"N_P<N_S>(G) p; E_P<Edge(G)>(G) q;",
            "Node_Prop<Node_Set>(G) p; Edge_Prop<Edge(G)>(G) q;"},
           {"N_S s; N_O(G) o; N_Q q = n.p;", "Node_Set s; Node_Order(G) o; Node_Seq q = n.p;"},
           {"Collection<set>(G) c; Collection<N_O> d; Collection<N_S(G)>(G) e;",
            "Collection<Node_Set>(G) c; Collection<Node_Order> d; Collection<Node_Set(G)>(G) e;"},
           {"Map<Node(G), Int> m; Map<Long, Edge> l;", "Map<Node(G), Int> m; Map<Long, Edge> l;"},
           {"a = 1; n.a = 1; m[k] = 1; Edge(n).w = 1; e.ToNode().x = 2;",
            "a = 1; n.a = 1; m[k] = 1; Edge(n).w = 1; e.ToNode().x = 2;"},
           {"a += 1; n.a *= 2; m[k] min= 3; a max= 4; a &= b; a |= b;",
            "a += 1; n.a *= 2; m[k] min= 3; a max= 4; a &= b; a |= b;"},
           {"min = 1; max max= min; n.min = 2; n.max min = 3;",
            "min = 1; max max= min; n.min = 2; n.max min= 3;"},
           {"a++; n.a--; m[k]++ @ t; n.a -- @ t;",
            "a += 1; n.a += (-1); m[k] += 1 @ t; n.a += (-1) @ t;"},
           {"a += 1 @ t; n.a <= 2; n.a <= b < c @ t;", "a += 1 @ t; n.a <= 2; n.a <= (b < c) @ t;"},
           {"<a; b> min= <x; y>;", "<a; b> min= <x; y>;"},
           {"<n.a; n.b, m[k]> max= <x + 1; y, z> @ t;",
            "<n.a; n.b; m[k]> max= <(x + 1); y; z> @ t;"},
           {"<a; b> min= <c > d ? 1 : 2; c > d>;", "<a; b> min= <((c > d) ? 1 : 2); (c > d)>;"},
           {"Foreach (t: G.Nodes) t.x = 1;", "Foreach (t: G.Nodes) { t.x = 1; }"},
           {"For (e: G.Edges)(e.w > 1) { a = 1; }", "For (e: G.Edges)((e.w > 1)) { a = 1; }"},
           {"For (t: n.OutNbrs) ; For (t: n.InNbrs) { }",
            "For (t: n.Nbrs) { { } } For (t: n.InNbrs) { }"},
           {"For (t: s+.Items) { } For (t: s-.Items) { } For (t: n.s.Items) { }",
            "For (t: s.Items) { } For (t: s-.Items) { } For (t: n.s.Items) { }"},
           {"If (a) b = 1; Else If (c) b = 2; Else { b = 3; }",
            "If (a) { b = 1; } Else { If (c) { b = 2; } Else { b = 3; } }"},
           {"If (a) Int b = 1, c;", "If (a) { Int b = 1; Int c; }"},
           {"While (a) b = 1; Do b = 1; While (a); Do { } While (a);",
            "While (a) { b = 1; } Do { b = 1; } While (a); Do { } While (a);"},
           {"Return; Return a; Return NIL;", "Return; Return a; Return NIL;"},
           {"InBFS (v: G.Nodes From r) { }", "InBFS (v: G.Nodes From r) { }"},
           {"InBFS (v: G^.Nodes ; n.r)[v.x](v.y > 1) { a = 1; } InReverse (v.z) { b = 1; }",
            "InBFS (v: G^.Nodes From n.r)[v.x]((v.y > 1)) { a = 1; } InReverse (v.z) { b = 1; }"},
           {"InDFS (v: G.Nodes From r)(v.y)[v.x] a = 1; InPost b = 1;",
            "InDFS (v: G.Nodes From r)[v.x](v.y) { a = 1; } InPost { b = 1; }"},
           {"InBFS (v: G.Nodes From r) { } InReverse { }",
            "InBFS (v: G.Nodes From r) { } InReverse { }"},
           {"f(); f(a, G, n.x); s.Add(n); n.s.Add(m); e.ToNode().s.Clear();",
            "f(); f(a, G, n.x); s.Add(n); n.s.Add(m); e.ToNode().s.Clear();"},
           {"f(a; b, c);", "f(a, b, c);"},
           {"[ g($n); ]; [ h() ] :: [a, n.x]; [ ] :: [];", "[ g($n); ]; [ h() ] :: [a, n.x]; [ ];"},
       }) {
    EXPECT_EQ(printed(written), read);
    EXPECT_EQ(statements(read), statements(written)) << written;
  }
}

TEST(GreenmarlParser, Traversals) {
  const ast::Stmt stmt = statement("InBFS (v: G^.Nodes From r)[v.x](v.y) { a = 1; } InReverse { }");
  ASSERT_EQ(stmt.kind, StmtKind::traversal);
  EXPECT_TRUE(stmt.breadth_first);
  EXPECT_TRUE(stmt.header.at(0).transposed);
  EXPECT_EQ(ast::print(stmt.navigator.at(0)), "v.x");
  EXPECT_EQ(ast::print(stmt.condition.at(0)), "v.y");
  EXPECT_TRUE(stmt.has_otherwise);
  EXPECT_TRUE(stmt.other_condition.empty());
  EXPECT_FALSE(statement("InDFS (v: G.Nodes From r) { }").has_otherwise);
}

TEST(GreenmarlParser, ParametersShareTypes) {
  const auto procedure = first(
      "Procedure p(G: Graph, a, b: Double, c: Int, s: N_S(G); d, e: N_P<Bool>, m: Map<Int, "
      "Node(G)>) : Node(G) { }");
  ASSERT_EQ(procedure.inputs.size(), 5U);
  EXPECT_EQ(procedure.inputs[2].name.text, "b");
  EXPECT_EQ(procedure.inputs[2].type.value, ValueType::float64);
  EXPECT_EQ(procedure.inputs[3].type.value, ValueType::int32);
  EXPECT_EQ(procedure.inputs[4].type.kind, TypeName::Kind::node_set);
  EXPECT_EQ(procedure.inputs[4].type.graph.text, "G");
  ASSERT_EQ(procedure.outputs.size(), 3U);
  EXPECT_EQ(procedure.outputs[1].type.of.at(0).value, ValueType::boolean);
  EXPECT_EQ(procedure.outputs[2].type.of.at(1).graph.text, "G");
  ASSERT_TRUE(procedure.returns);
  EXPECT_EQ(procedure.returns->value, ValueType::node);
}

TEST(GreenmarlParser, AFileHoldsProcedures) {
  const ast::Module module = tree(
      "Local a() { } Local Procedure b(; x: Int) : Int { }\nProc c(G: Graph;) { }\n"
      "Procedure d(G, H: Graph) { }");
  ASSERT_EQ(module.procedures.size(), 4U);
  EXPECT_TRUE(module.procedures[0].local);
  EXPECT_TRUE(module.procedures[1].local);
  EXPECT_EQ(module.procedures[1].outputs.size(), 1U);
  EXPECT_FALSE(module.procedures[2].local);
  EXPECT_EQ(module.procedures[3].inputs.size(), 2U);
  EXPECT_EQ(tree(ast::print(module)), module);
}

TEST(GreenmarlParser, ElseBelongsToTheNearestIf) {
  const ast::Stmt stmt = statement("If (a) If (b) c = 1; Else c = 2;");
  EXPECT_TRUE(stmt.otherwise.empty());
  EXPECT_EQ(stmt.body.at(0).otherwise.size(), 1U);
}

}  // namespace
}  // namespace Atoll::greenmarl
