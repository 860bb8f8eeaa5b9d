// The random programs of `make test`: they use all constructs of the language except foreign text,
// and compile without errors or data races.
#include <gtest/gtest.h>

#include <set>

#include "../greenmarl/answer.hpp"
#include "../greenmarl/generator.hpp"
#include "atoll/greenmarl/compiler.hpp"

namespace Atoll::greenmarl::oracle {
namespace {

/// Collects the constructs that a program uses.
class Used {
 public:
  void module(const ast::Module& module) {
    if (module.procedures.size() > 1) all.insert("several procedures");
    for (const ast::Procedure& procedure : module.procedures) {
      for (const ast::Parameter& parameter : procedure.inputs) type("before", parameter.type);
      for (const ast::Parameter& parameter : procedure.outputs) type("behind", parameter.type);
      if (procedure.returns) type("returns", *procedure.returns);
      statements(procedure.body);
    }
  }
  std::set<std::string> all;
  bool in_traversal = false;

 private:
  void type(const std::string& where, const ast::TypeName& written) {
    for (const ast::TypeName& of : written.of)
      if (of.graph.text != written.graph.text && !of.graph.text.empty() && where != "declares" &&
          !written.graph.text.empty())
        all.insert("nodes of another graph");
    ast::TypeName plain = written;
    plain.graph.text.clear();
    for (ast::TypeName& of : plain.of) of.graph.text.clear();
    all.insert(where + " " + (plain.kind == ast::TypeName::Kind::map ? "Map" : ast::print(plain)));
  }
  void expressions(const std::vector<ast::Expr>& exprs) {
    for (const ast::Expr& expr : exprs) expression(expr);
  }
  void header(const ast::Header& header, const std::string& by) {
    all.insert(fmt::format("{} {}{}{}", by, to_string(header.range), header.transposed ? "^" : "",
                           header.backwards ? "-" : ""));
    if (header.source.name.text == "H") all.insert(by + " H");
    if (header.source.kind == ast::ExprKind::field) all.insert(by + " a property's Items");
    expressions(header.args);
  }
  void expression(const ast::Expr& expr) {
    using K = ast::ExprKind;
    switch (expr.kind) {
      case K::method:
      case K::call:
        all.insert(expr.name.text.substr(0, expr.name.text.find_first_of("0123456789")) + "()");
        break;
      case K::unary:
        all.insert(fmt::format("unary {}", static_cast<int>(expr.unary)));
        break;
      case K::binary:
        all.insert(std::string(to_string(expr.binary)));
        break;
      case K::reduction:
        all.insert(std::string(to_string(expr.reduction)));
        header(expr.header[0], "reduction over");
        break;
      case K::cast:
        all.insert("cast to " + ast::print(expr.type));
        break;
      case K::infinity:
        all.insert("INF");
        break;
      case K::nil:
        all.insert("NIL");
        break;
      case K::index:
        all.insert("[key]");
        break;
      case K::edge_of:
        all.insert("Edge()");
        break;
      case K::conditional:
        all.insert("?:");
        break;
      default:
        break;
    }
    expressions(expr.args);
    expressions(expr.filter);
  }
  void statements(const std::vector<ast::Stmt>& list) {
    for (const ast::Stmt& stmt : list) statement(stmt);
  }
  void statement(const ast::Stmt& stmt) {
    using K = ast::StmtKind;
    switch (stmt.kind) {
      case K::declare:
        type("declares", stmt.type);
        if (stmt.names.size() > 1) all.insert("several names");
        break;
      case K::assign:
        assignment(stmt);
        break;
      case K::loop:
        header(stmt.header[0], stmt.parallel ? "Foreach over" : "For over");
        if (!stmt.condition.empty()) all.insert("filter");
        break;
      case K::traversal: {
        const std::string name = stmt.breadth_first ? "InBFS" : "InDFS";
        header(stmt.header[0], name + " over");
        if (!stmt.navigator.empty()) all.insert(name + " navigator");
        if (!stmt.condition.empty()) all.insert(name + " filter");
        if (stmt.has_otherwise) all.insert(name + " back");
        in_traversal = true;
        statements(stmt.body);
        statements(stmt.otherwise);
        in_traversal = false;
        if (!stmt.other_condition.empty()) all.insert(name + " back filter");
        break;
      }
      case K::block:
        all.insert("block");
        break;
      case K::if_:
        all.insert(stmt.otherwise.empty() ? "If" : "Else");
        break;
      case K::while_:
        all.insert("While");
        break;
      case K::do_while:
        all.insert("Do");
        break;
      case K::return_:
        all.insert("Return");
        break;
      default:
        break;
    }
    for (const auto* list : {&stmt.targets, &stmt.root, &stmt.navigator, &stmt.condition,
                             &stmt.other_condition, &stmt.values})
      expressions(*list);
    statements(stmt.body);
    statements(stmt.otherwise);
  }
  void assignment(const ast::Stmt& stmt) {
    const ast::Expr& target = stmt.targets[0];
    const std::string what = target.kind == ast::ExprKind::index                 ? "entry"
                             : target.kind == ast::ExprKind::name                ? "name"
                             : target.args[0].name.text == "G"                   ? "G.p"
                             : target.args[0].name.text == "H"                   ? "H.p"
                             : target.args[0].name.text.find_first_of("SO") == 0 ? "S.p"
                                                                                 : "n.p";
    const std::string op = stmt.deferred ? "<=" : std::string(to_string(stmt.op));
    if (stmt.deferred && in_traversal) all.insert("until a traversal ends");
    all.insert(fmt::format("{}{} {}", stmt.targets.size() > 1 ? "group " : "", what, op));
    if (!stmt.bound.text.empty()) all.insert("@");
  }
};

TEST(RandomPrograms, UseEveryConstructAndAreValid) {
  Used used;
  int programs = 0;
  for (std::uint64_t seed = 1; seed <= 220; ++seed) {  // see tests/greenmarl/CMakeLists.txt
    const std::string text = random_program(seed, "p");
    EXPECT_EQ(random_program(seed, "p"), text);
    const ast::Module module = parsed(text);
    if (!has_one_answer(module, seed)) continue;
    ++programs;
    used.module(module);
    EXPECT_EQ(parsed(ast::print(module)), module);
    for (const Diagnostic& warning : compile(text, "x.gm").warnings)
      EXPECT_EQ(warning.message.find("in no order"), std::string::npos) << warning.to_string();
  }
  EXPECT_GE(programs, 200);
  std::string expected;
  for (const char* const place : {"before ", "behind ", "declares "})
    for (const char* const type :
         {"Int", "Long", "Float", "Double", "Bool", "Node", "Node_Prop<Int>", "Node_Prop<Long>",
          "Node_Prop<Float>", "Node_Prop<Double>", "Node_Prop<Bool>", "Node_Prop<Node>",
          "Edge_Prop<Int>", "Edge_Prop<Bool>", "Node_Set", "Node_Order", "Node_Seq", "Map"})
      expected += fmt::format("{}{};", place, type);
  for (const char* const by : {"reduction over ", "Foreach over ", "For over "})
    for (const char* const range : {"Nodes", "Edges", "Nbrs", "InNbrs", "UpNbrs", "DownNbrs",
                                    "Items", "CommonNbrs", "a property's Items"})
      if (std::string_view(by) != "For over " || std::string_view(range).find("pN") != 1)
        expected += fmt::format("{}{};", by, range);
  expected +=
      "before Collection<Node_Set>;behind Collection<Node_Set>;before Node_Prop<Node_Set>;"
      "behind Node_Prop<Node_Set>;nodes of another graph;reduction over H;Foreach over H;"
      "For over H;InBFS over H;InDFS over H;H.p =;H.p +=;"
      "before Graph;behind Node_Prop<Edge>;declares Node_Prop<Node_Set>;declares Graph;"
      "declares Collection<Node_Set>;declares Edge;returns Int;returns Long;returns Float;"
      "returns Double;returns Bool;returns Node;several procedures;several names;"
      "For over Items-;InBFS over Nodes;InBFS over Nodes^;InDFS over Nodes;InDFS over Nodes^;"
      "InBFS navigator;InBFS filter;InBFS back;InBFS back filter;InDFS navigator;InDFS filter;"
      "InDFS back;InDFS back filter;filter;block;If;Else;While;Do;Return;@;"
      "unary 0;unary 1;unary 2;+;-;*;/;%;==;!=;<;<=;>;>=;&&;||;?:;INF;NIL;[key];Edge();"
      "cast to Int;cast to Long;cast to Float;cast to Double;"
      "Sum;Product;Min;Max;Count;All;Exist;Avg;"
      "name =;name <=;name +=;name *=;name min=;name max=;name &=;name |=;"
      "n.p =;n.p +=;n.p *=;n.p min=;n.p max=;n.p &=;n.p |=;n.p <=;"
      "G.p =;G.p +=;G.p *=;G.p min=;G.p max=;G.p &=;G.p |=;S.p =;S.p +=;"
      "until a traversal ends;entry <=;entry =;entry +=;entry min=;entry max=;entry &=;entry |=;"
      "group name min=;group name max=;group n.p min=;group n.p max=;"
      "NumNodes();NumEdges();PickRandom();OutDegree();Degree();NumNbrs();NumOutNbrs();InDegree();"
      "NumInNbrs();HasEdgeTo();HasEdgeFrom();IsNbrFrom();PickRandomNbr();ToEdge();FromNode();"
      "ToNode();Add();Remove();Has();Union();Intersect();Complement();IsSubsetOf();Size();Clear();"
      "PushBack();Push();PushFront();PopBack();PopFront();Pop();HasKey();HasMinValue();"
      "HasMaxValue();GetMinKey();GetMaxKey();GetMinValue();GetMaxValue();Uniform();Rand();Log();"
      "Exp();Pow();compute();change();";
  for (std::size_t begin = 0; begin < expected.size();) {
    const std::size_t end = expected.find(';', begin);
    EXPECT_TRUE(used.all.contains(expected.substr(begin, end - begin)))
        << "no program uses " << expected.substr(begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace Atoll::greenmarl::oracle
