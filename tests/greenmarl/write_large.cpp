// Generator of larger statements, and of the procedures that programs call.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "value.hpp"
#include "writer.hpp"

namespace Atoll::greenmarl::oracle {

using VT = ValueType;

void Writer::traversal(int depth) {
  if (in_traversal_) return assign_property();
  const bool breadth_first = chance(60);
  const std::string it = fresh("n");
  const std::string root = node(1, false);
  const std::string graph = this->graph() + (chance(75) ? "" : "^");
  std::map<const Symbol*, Role> forward;
  const auto body_of = [&](bool filtered, const std::string& begin) {
    scopes_.emplace_back();
    const Symbol& n = add({.name = it, .type = VT::node, .fixed = true, .exists = true});
    open_loop(&n, breadth_first);
    loops_.back().traversal = true;
    for (const auto& [symbol, role] : forward)  // deferred until the reverse pass ends
      if (role.kind == Role::defer) loops_.back().roles.emplace(symbol, role);
    loops_.back().forward = std::move(forward);
    searched_ = breadth_first ? &n : nullptr;
    in_traversal_ = true;
    const std::string filter = filtered ? fmt::format("({})", condition(2)) : "";
    line(begin + filter + " {");
    body(depth, 1 + static_cast<int>(below(3)));
    in_traversal_ = false;
    searched_ = nullptr;
    forward = loops_.back().roles;
    close_loop();
    scopes_.pop_back();
    line("}");
  };
  std::string navigator;
  if (chance(40)) {
    scopes_.emplace_back();
    const Symbol& n = add({.name = it, .type = VT::node, .fixed = true, .exists = true});
    open_loop(&n, true);
    navigator = fmt::format("[{}]", condition(2));
    close_loop();
    scopes_.pop_back();
  }
  body_of(chance(40),
          fmt::format("{} ({}: {}.Nodes{}{}){}", breadth_first ? "InBFS" : "InDFS", it, graph,
                      one_of_words(" From ;").substr(0, 0) + (chance(50) ? " From " : "; "), root,
                      navigator));
  if (chance(60)) body_of(chance(40), breadth_first ? "InReverse " : "InPost ");
}

// Generates an If that uses a Node variable where it isn't NIL.
void Writer::guarded(int depth) {
  const Symbol* symbol = pick([](const Symbol& s) {
    return s.what == What::scalar && s.type == VT::node && !s.exists && !s.fixed;
  });
  if (symbol == nullptr || !may(*symbol, {Role::read, ""})) return declare();
  line(fmt::format("If ({} != NIL) {{", symbol->name));
  auto& changing = const_cast<Symbol&>(*symbol);
  changing.exists = changing.fixed = true;
  body(depth, 1 + static_cast<int>(below(2)));
  changing.exists = changing.fixed = false;
  line("}");
}

/// Generates the procedures that the program calls. Some only compute a result, others change their
/// arguments.
void Writer::helpers() {
  std::vector<std::vector<const Symbol*>> around;
  std::swap(around, scopes_);
  const bool several = std::exchange(several_, false);
  const auto type = [&] {
    return one_of(std::vector{VT::int32, VT::int64, VT::float64, VT::boolean});
  };
  for (std::size_t i = 1 + below(2); i > 0; --i) {
    Helper helper{.name = fresh("compute"), .takes = {type(), type()}, .gives = type()};
    scopes_.emplace_back();
    std::string parameters;
    for (const VT takes : helper.takes)
      parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ",
                                add({.name = fresh("arg"), .type = takes}).name, name_of(takes));
    line(fmt::format("Local {}{}({}) : {} {{", chance(50) ? "Procedure " : "", helper.name,
                     parameters, name_of(*helper.gives)));
    scopes_.emplace_back();
    indent_ = 2;
    // The procedure has no graph, so it only uses variables.
    const Symbol& x = add({.name = fresh("x"), .type = *helper.gives});
    line(fmt::format("{} {};", name_of(*helper.gives), x.name));
    const auto plain = [&](VT wanted) {
      const auto read = read_of(wanted);
      return read ? *read : literal(wanted);
    };
    line(fmt::format("If ({} {} {}) Return {};", plain(VT::int32), one_of_words("< > =="),
                     plain(VT::int64), plain(*helper.gives)));
    if (is_number(*helper.gives))
      line(fmt::format("{} = {} + {};", x.name, plain(*helper.gives), literal(*helper.gives)));
    line(fmt::format("Return {};", plain(*helper.gives)));
    indent_ = 0;
    line("}");
    line("");
    scopes_.clear();
    helpers_.push_back(std::move(helper));
  }
  if (chance(70)) {
    Helper helper{.name = fresh("change"), .takes = {type()}, .gives = {}, .property = VT::int32};
    scopes_.emplace_back();
    const Symbol& value = add({.name = fresh("arg"), .type = helper.takes[0]});
    const Symbol& property =
        add({.name = fresh("p"), .what = What::node_prop, .type = helper.property});
    const Symbol& set = add({.name = fresh("S"), .what = What::set});
    const Symbol& out = add({.name = fresh("out"), .type = VT::int64});
    line(fmt::format("Local {}(G: Graph, {}: {}, {}: N_P<Int>(G), {}: N_S(G); {}: Long) {{",
                     helper.name, value.name, name_of(value.type), property.name, set.name,
                     out.name));
    scopes_.emplace_back();
    indent_ = 2;
    left_ = 4;
    while (left_ > 0) statement(2);
    line(fmt::format("If ({}) Return;", condition(1)));
    line(fmt::format("{} += {};", out.name, number(VT::int64, 2)));
    indent_ = 0;
    line("}");
    line("");
    scopes_.clear();
    helpers_.push_back(std::move(helper));
  }
  several_ = several;
  std::swap(around, scopes_);
}

void Writer::call_statement() {
  for (const Helper& helper : helpers_) {
    if (helper.gives) continue;
    const Symbol* property = pick(
        [&](const Symbol& s) { return s.what == What::node_prop && s.type == helper.property; });
    const Symbol* set = pick([](const Symbol& s) { return s.what == What::set; });
    const Symbol* out = pick(
        [](const Symbol& s) { return s.what == What::scalar && !s.fixed && s.type == VT::int64; });
    if (property == nullptr || set == nullptr || out == nullptr) return declare();
    return line(fmt::format("{}({}, {}, {}, {}, {});", helper.name, graph(),
                            expression(helper.takes[0], 2), property->name, set->name, out->name));
  }
  declare();
}

// Generates a search for the nearest node by a number that is unique for each node.
void Writer::unique_best() {
  if (in_foreach() || in_traversal_ || !loops_.empty()) return;
  const std::string number = fresh("p"), best = fresh("p"), who = fresh("p"), by = fresh("p");
  const std::string i = fresh("x"), n = fresh("n"), m = fresh("n");
  line(fmt::format("N_P<Int>{} {}, {};", of(), number, best));
  line(fmt::format("N_P<{}>{} {};", type_text(VT::node), of(), who));
  line(fmt::format("E_P<Bool>{} {};", of(), by));
  line(fmt::format("Int {} = {};", i, below(5)));
  line(fmt::format("For ({}: {}.Nodes) {{ {}.{} = {}; {} += 1; }}", n, graph(), n, number, i, i));
  const bool least = chance(50);
  line(fmt::format("{}.{} = {}INF;", graph(), best, least ? "" : "-"));
  line(
      fmt::format("Foreach ({}: {}.Nodes) {{ Foreach ({}: {}.{}) {{ <{}.{}; {}.{}> {} <{}.{} * 2; "
                  "{}> @ {}; }} }}",
                  n, graph(), m, n, one_of_words("Nbrs InNbrs"), m, best, m, who,
                  least ? "min=" : "max=", n, number, n, n));
  line(fmt::format(
      "Foreach ({}: {}.Edges) {{ {} {} = {}.ToNode(); {}.{} = {}.{} == {}.FromNode(); }}", n,
      graph(), type_text(VT::node), m, n, n, by, m, who, n));
  for (const auto& [name, what, type] :
       {std::tuple{number, What::node_prop, VT::int32},
        std::tuple{best, What::node_prop, VT::int32}, std::tuple{who, What::node_prop, VT::node},
        std::tuple{by, What::edge_prop, VT::boolean}})
    add({.name = name, .what = what, .type = type});
}

// Generates statements with a declared graph, which has no nodes.
void Writer::local_graph() {
  const std::string graph = fresh("H"), n = fresh("n"), p = fresh("p"), set = fresh("S");
  const Symbol* out = pick(
      [](const Symbol& s) { return s.what == What::scalar && !s.fixed && s.type == VT::int64; });
  if (out == nullptr || chance(70)) return declare();
  line("{");
  line(fmt::format("  Graph {};", graph));
  line(fmt::format("  N_P<Int>({}) {};", graph, p));
  line(fmt::format("  Node_Set({}) {};", graph, set));
  line(fmt::format("  {}.{} = 3;", graph, p));
  line(fmt::format("  Foreach ({}: {}.Nodes) {{ {}.Add({}); }}", n, graph, set, n));
  line(fmt::format("  {} += {}.NumNodes() + {}.Size() + Sum({}: {}.Nodes) {{ {}.{} }};", out->name,
                   graph, set, n, graph, n, p));
  line("}");
}

void Writer::early_return() {
  if (indent_ < 2 || helper_returns_ || !loops_.empty()) return;
  if (text_.rfind("Proc", 0) != 0) return;  // within a called procedure
  const auto value = [&] { return expression(returns_, 2); };
  line(fmt::format("If ({} && {}) Return {};", condition(2), condition(2),
                   graph_ == 0 ? value() : in_the_other(value)));
}

}  // namespace Atoll::greenmarl::oracle
