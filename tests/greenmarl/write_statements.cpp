// Generator of statements.
#include <fmt/format.h>

#include <algorithm>

#include "value.hpp"
#include "writer.hpp"

namespace Atoll::greenmarl::oracle {

using VT = ValueType;

void Writer::body(int depth, int statements) {
  scopes_.emplace_back();
  indent_ += 2;
  for (int i = 0; i < statements; ++i) statement(depth);
  indent_ -= 2;
  scopes_.pop_back();
}

void Writer::block(int depth, int statements) {
  body(depth, statements);
  line("}");
}

void Writer::statement(int depth) {
  if (!several_ || !chance(20)) return statement_here(depth);
  graph_ = 1 - graph_;
  statement_here(depth);
  graph_ = 1 - graph_;
}

void Writer::statement_here(int depth) {
  --left_;
  const std::size_t kind = below(100);
  // At the top level, loops are preferred.
  if (indent_ == 2 && depth > 0 && chance(35)) return chance(60) ? sweep() : loop(depth - 1);
  if (kind < 9) return declare();
  if (kind < 20) return assign_scalar();
  if (several_ && kind < 25) return assign_far();
  if (kind < 35) return assign_property();
  if (kind < 41) return in_foreach() ? assign_property() : assign_group();
  if (kind < 46) return argmin();
  if (kind < 51) return deferred();
  if (kind < 57) return use_collection();
  if (kind < 62) return use_map();
  if (depth <= 0) return assign_scalar();
  if (kind < 76) return loop(depth - 1);
  if (kind < 81) return branch(depth - 1);
  if (kind < 84) return while_loop(depth - 1);
  if (kind < 87) return guarded(depth - 1);
  if (in_foreach()) return loop(depth - 1);
  if (kind < 92) return traversal(depth - 1);
  if (kind < 94) return call_statement();
  if (kind < 96) return use_sets(depth - 1);
  if (kind < 98) return unique_best();
  if (kind < 99) return local_graph();
  return early_return();
}

void Writer::declare() {
  const VT type = one_of(std::vector{VT::int32, VT::int32, VT::int64, VT::float32, VT::float64,
                                     VT::boolean, VT::node});
  const std::size_t kind = below(14);
  if (kind < 7) {
    const std::string value = chance(80) ? " = " + expression(type, 2) : "";
    const Symbol& symbol = add({.name = fresh("x"), .type = type});
    if (chance(20) && value.empty()) {
      const Symbol& other = add({.name = fresh("x"), .type = type});
      return line(fmt::format("{} {}, {} = {};", type_text(type), symbol.name, other.name,
                              type == VT::node ? "NIL" : literal(type)));
    }
    return line(fmt::format("{} {}{};", type_text(type), symbol.name, value));
  }
  if (kind == 7) {
    add({.name = fresh("S"), .what = What::set});
    return line(fmt::format("{}{} {};", one_of_words("N_S Node_Set"), maybe_of(),
                            scopes_.back().back()->name));
  }
  if (kind == 8) {
    const bool order = chance(50);
    add({.name = fresh(order ? "O" : "Q"), .what = order ? What::order : What::sequence});
    return line(fmt::format("{}{} {};",
                            order ? one_of_words("N_O Node_Order") : one_of_words("N_Q Node_Seq"),
                            of(), scopes_.back().back()->name));
  }
  if (kind == 9) {
    const VT key = one_of(std::vector{VT::int32, VT::node, VT::float64, VT::int64, VT::boolean});
    const Symbol& map = add({.name = fresh("m"), .what = What::map, .type = type, .key = key});
    return line(fmt::format("Map<{}, {}> {};", type_text(key), type_text(type), map.name));
  }
  if (in_foreach() || in_traversal_ || loops_.size() > 1) return assign_scalar();
  if (kind == 10 || (kind == 11 && chance(50))) {
    const Symbol& property = add({.name = fresh("p"), .what = What::set_prop});
    return line(fmt::format("N_P<{}>{} {};", one_of_words("N_S Node_Set"), of(), property.name));
  }
  const bool edges = chance(30);
  // A property and a variable may have the same name.
  std::string name = fresh(edges ? "e" : "p");
  if (chance(15) && !scopes_.back().empty()) {
    const Symbol* twin = scopes_.back().back();
    const auto taken =
        visible([&](const Symbol& s) { return s.name == twin->name && s.what != What::scalar; });
    if (twin->what == What::scalar && twin->name[0] == 'x' && taken.empty()) name = twin->name;
  }
  std::string value;
  if (chance(25) && !edges && is_number(type)) {
    value = fmt::format(" = {}.{}() {} {}", graph(), one_of_words("Degree InDegree"),
                        one_of_words("+ *"), below(5));
    if (type == VT::int32) value = " = " + literal(type);
  }
  const Symbol& property =
      add({.name = name, .what = edges ? What::edge_prop : What::node_prop, .type = type});
  line(fmt::format("{}<{}>{} {}{};",
                   edges ? one_of_words("E_P Edge_Prop") : one_of_words("N_P Node_Prop"),
                   type_text(type), maybe_of(), property.name, value));
}

void Writer::assign_scalar() {
  const Symbol* symbol = pick([](const Symbol& s) { return s.what == What::scalar && !s.fixed; });
  if (symbol == nullptr) return declare();
  const VT type = symbol->type;
  const bool real = is_real(type);
  const bool combine = chance(in_foreach() ? 90 : 40) && !is_element(type);
  if (!combine) {
    if (!may(*symbol, {Role::own, ""})) return;
    return line(fmt::format("{} = {};", symbol->name, expression(type, 3)));
  }
  const std::string op = type == VT::boolean ? one_of_words("&= |=")
                         : real              ? one_of_words("+= += min= max=")
                                             : one_of_words("+= += *= min= max=");
  if (!may(*symbol, {Role::combine, op})) return;
  if (op == "+=" && chance(25))
    return line(fmt::format("{}{};", symbol->name, one_of_words("++ --")));
  // Sometimes binds the assignment to the outermost Foreach. From then on, no other operation
  // combines into the variable.
  const auto outermost = std::ranges::find_if(loops_, &OpenLoop::unordered);
  const bool bound = outermost != loops_.end() && chance(50) &&
                     outermost->iterator->name.size() > 1 &&
                     symbol->loops <= static_cast<std::size_t>(outermost - loops_.begin()) &&
                     outermost->iterator->name[0] == 'n';
  const std::string binding = bound ? " @ " + outermost->iterator->name : "";
  line(fmt::format("{} {} {}{};", symbol->name, op, expression(type, 2), binding));
}

void Writer::assign_property() {
  const Symbol* property =
      pick([](const Symbol& s) { return s.what == What::node_prop || s.what == What::edge_prop; });
  if (property == nullptr) return declare();
  const auto at = property->what == What::node_prop ? node_element() : edge_element();
  if (!at) return in_foreach() ? assign_scalar() : assign_group();
  const VT type = property->type;
  const std::string target = fmt::format("{}.{}", at->text, property->name);
  if ((is_element(type) || chance(55)) && may(*property, {Role::own, ""}, at->symbol))
    return line(fmt::format("{} = {};", target, expression(type, 3)));
  if (is_element(type)) return;
  const std::string op = type == VT::boolean ? one_of_words("&= |=")
                         : is_real(type)     ? one_of_words("+= min= max=")
                                             : one_of_words("+= *= min= max=");
  if (!may(*property, {Role::combine, op}, at->symbol)) return;
  if (op == "+=" && chance(20)) return line(target + one_of_words("++ --") + ";");
  line(fmt::format("{} {} {};", target, op, expression(type, 2)));
}

// Assigns a node of the second graph to a property of the first one.
void Writer::assign_far() {
  const Symbol* far = pick([](const Symbol& s) { return s.what == What::far_prop; });
  const auto at = node_element();
  if (far == nullptr || !at || !may(*far, {Role::own, ""}, at->symbol)) return assign_scalar();
  line(fmt::format("{}.{} = {};", at->text, far->name,
                   in_the_other([&] { return node(2, false); })));
}

// Generates G.p = … or S.p = …
void Writer::assign_group() {
  const Symbol* property =
      pick([](const Symbol& s) { return s.what == What::node_prop || s.what == What::edge_prop; });
  if (property == nullptr) return declare();
  const Symbol* held =
      pick([](const Symbol& s) { return s.what == What::set || s.what == What::order; });
  const bool over_set = held != nullptr && property->what == What::node_prop && chance(30);
  const std::string group = over_set ? held->name : graph();
  scopes_.emplace_back();
  const Symbol& current = add({.name = group,
                               .type = property->what == What::node_prop ? VT::node : VT::edge,
                               .fixed = true,
                               .exists = true});
  open_loop(&current, true);
  if (over_set) static_cast<void>(may(*held, {Role::read, ""}));
  static_cast<void>(may(*property, {Role::own, ""}, &current));
  const VT type = property->type;
  const std::string op = is_element(type) || chance(75) ? "="
                         : type == VT::boolean          ? one_of_words("&= |=")
                                                        : one_of_words("+= *= min= max=");
  const std::string value = expression(type, 3);
  close_loop();
  scopes_.pop_back();
  line(fmt::format("{}.{} {} {};", group, property->name, op, value));
}

// Generates <best; who, …> min= <value; …> with variables as targets. Among equal candidates, the
// first iteration's values are assigned.
void Writer::argmin() {
  std::vector<const Symbol*> targets;
  const auto is_free = [&](const Symbol& s) {
    return s.what == What::scalar && !s.fixed && std::ranges::find(targets, &s) == targets.end();
  };
  const Symbol* best = pick([&](const Symbol& s) { return is_free(s) && is_number(s.type); });
  if (best == nullptr) return declare();
  targets.push_back(best);
  for (std::size_t i = 1 + below(2); i > 0; --i) {
    // The targets must all be local to one iteration, or all be declared outside.
    const Symbol* other =
        pick([&](const Symbol& s) { return is_free(s) && s.loops == best->loops; });
    if (other == nullptr) return assign_scalar();
    targets.push_back(other);
  }
  // No other statement in the surrounding loops may read or assign the targets. Together they are
  // one group.
  const std::string op = one_of_words("min= max=");
  for (const Symbol* target : targets)
    for (std::size_t i = target->loops; i < loops_.size(); ++i)
      if (loops_[i].unordered && loops_[i].roles.contains(target)) return assign_scalar();
  for (const Symbol* target : targets)
    static_cast<void>(may(*target, {Role::combine, fresh("group")}));
  std::string names, values;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const char* const separator = i == 0 ? "" : i == 1 ? "; " : ", ";
    names += separator + targets[i]->name;
    values += separator + expression(targets[i]->type, 2);
  }
  line(fmt::format("<{}> {} <{}>;", names, op, values));
}

// Generates p <= …, which is deferred until the surrounding loop ends.
void Writer::deferred() {
  const auto outermost = std::ranges::find_if(loops_, &OpenLoop::unordered);
  if (outermost == loops_.end() && !loops_.empty() && !in_traversal_ &&
      loops_.back().iterator->name[0] == 'n' && loops_.back().iterator->what == What::scalar) {
    // The value is the old one plus a constant, so that all iterations assign the same value.
    const Symbol* symbol = pick([&](const Symbol& s) {
      return s.what == What::scalar && !s.fixed && s.loops < loops_.size() && is_number(s.type);
    });
    if (symbol == nullptr) return assign_scalar();
    return line(fmt::format("{} <= {} + {} @ {};", symbol->name, symbol->name,
                            literal(symbol->type), loops_.back().iterator->name));
  }
  if (in_traversal_) return deferred_in_traversal();
  if (outermost == loops_.end()) return assign_scalar();
  for (auto inner = outermost + 1; inner != loops_.end(); ++inner)
    if (inner->unordered) return assign_property();
  const Symbol* const it = outermost->iterator;
  if (it->name[0] != 'n' || it->graph != graph_) return assign_property();  // of a group assignment
  const Symbol* property = pick([&](const Symbol& s) {
    return s.what == (it->type == VT::node ? What::node_prop : What::edge_prop) &&
           s.loops <= static_cast<std::size_t>(outermost - loops_.begin());
  });
  if (property == nullptr || !may(*property, {Role::defer, ""}, it)) return assign_property();
  // Within an inner For, several values would be deferred for one element.
  if (outermost + 1 != loops_.end()) return assign_property();
  if (chance(30) && it->type == VT::node) {
    const Symbol* map =
        pick([](const Symbol& s) { return s.what == What::map && s.key == VT::node; });
    if (map != nullptr && may(*map, {Role::defer, ""}, it))
      return line(fmt::format("{}[{}] <= {} @ {};", map->name, it->name, expression(map->type, 2),
                              it->name));
  }
  line(fmt::format("{}.{} <= {}{};", it->name, property->name, expression(property->type, 3),
                   chance(60) ? " @ " + it->name : ""));
}

// Generates n.p <= …, which is deferred until InReverse ends. Not in InDFS, because there the roles
// that prevent other assignments aren't known.
void Writer::deferred_in_traversal() {
  const OpenLoop& loop = loops_.back();
  const Symbol* const it = loop.iterator;
  const Symbol* property =
      pick([&](const Symbol& s) { return s.what == What::node_prop && s.loops < loops_.size(); });
  if (!loop.traversal || !loop.unordered || property == nullptr ||
      loop.forward.contains(property) || !may(*property, {Role::defer, ""}, it))
    return assign_scalar();
  line(fmt::format("{}.{} <= {} @ {};", it->name, property->name, expression(property->type, 2),
                   it->name));
}

/// Returns a number that depends only on one node's properties.
std::string Writer::of_one(const Symbol& node, VT type) {
  const auto part = [&] {
    const Symbol* property = pick([&](const Symbol& s) {
      return s.what == What::node_prop && is_number(s.type) &&
             (s.type == type || type == VT::float64 || s.type == VT::int32);
    });
    if (property != nullptr && may(*property, {Role::read, ""}, &node))
      return fmt::format("{}.{}", node.name, property->name);
    return type == VT::int32 ? std::string("3") : fmt::format("{}.Degree()", node.name);
  };
  const std::string a = part(), b = part();
  if (is_real(type) && chance(30)) return fmt::format("({} / 4)", a);
  if (!is_real(type) && chance(30)) return fmt::format("({} / (|({}) % 3| + 1))", a, b);
  return fmt::format("({} {} {})", a, one_of_words("+ - *"), b);
}

// Generates a loop that computes a property of each node from properties of its neighbours, as most
// programs do.
void Writer::sweep() {
  const Symbol* to =
      pick([](const Symbol& s) { return s.what == What::node_prop && !is_element(s.type); });
  if (to == nullptr) return declare();
  const std::string it = fresh("n"), near = fresh("r");
  scopes_.emplace_back();
  const Symbol& n = add({.name = it, .type = VT::node, .fixed = true, .exists = true});
  open_loop(&n, true);
  const bool deferred = chance(30);
  static_cast<void>(may(*to, {deferred ? Role::defer : Role::own, ""}, &n));
  scopes_.emplace_back();
  const Symbol& w =
      add({.name = near, .type = VT::node, .fixed = true, .exists = true, .has_edge = true});
  open_loop(&w, false);
  const std::string filter = chance(30) ? fmt::format("({})", condition(1)) : "";
  const std::string value = to->type == VT::boolean ? condition(2)
                            : chance(50)            ? of_one(w, to->type)
                                                    : number(to->type, 2);
  close_loop();
  scopes_.pop_back();
  const std::string sum = fmt::format(
      "{}({}: {}.{}){}{{{}}}",
      to->type == VT::boolean ? one_of_words("All Exist") : one_of_words("Sum Min Max Sum"), near,
      it, one_of_words("Nbrs InNbrs"), filter, value);
  const std::string start = chance(30) ? fmt::format("({})", condition(1)) : "";
  line(fmt::format("Foreach ({}: {}.Nodes){} {{ {}.{} {} {}; }}", it, graph(), start, it, to->name,
                   deferred ? "<=" : "=", sum));
  close_loop();
  scopes_.pop_back();
  // Generates further loops that may be fused with this one.
  for (std::size_t i = below(3); i > 0; --i) {
    const Symbol* other =
        pick([](const Symbol& s) { return s.what == What::node_prop && is_number(s.type); });
    if (other == nullptr) return;
    line(fmt::format("{}.{} {} {};", graph(), other->name,
                     chance(70) ? "=" : one_of_words("+= min="),
                     chance(30) ? literal(other->type)
                                : of_one({.name = graph(), .what = What::scalar}, other->type)));
  }
}

void Writer::loop(int depth) {
  const bool parallel = chance(60);
  const std::string it = fresh("n");
  Symbol iterator;
  const auto range = header(it, parallel, iterator);
  if (!range) return assign_scalar();
  scopes_.emplace_back();
  const Symbol& added = add(iterator);
  open_loop(&added, parallel);
  const std::string filter = chance(35) ? fmt::format("({})", condition(2)) : "";
  line(fmt::format("{} ({}){} {{", parallel ? "Foreach" : "For", *range, filter));
  // The traversed edge belongs to this iteration, and also to the iteration of the surrounding loop
  // over the node.
  if (added.has_edge && chance(40)) {
    indent_ += 2;
    Symbol e{.name = fresh("x"), .type = VT::edge, .fixed = true, .exists = true};
    line(fmt::format("{} {} = {};", type_text(VT::edge), e.name,
                     chance(50) ? fmt::format("{}.ToEdge()", it) : fmt::format("Edge({})", it)));
    e.own_of.push_back(&added);
    if (added.nearby == nullptr && loops_.size() > 1) {
      const OpenLoop& around = loops_[loops_.size() - 2];
      if (range->find(fmt::format(": {}.", around.iterator->name)) != std::string::npos &&
          range->find("Nbrs(") == std::string::npos && around.iterator->type == VT::node &&
          !around.iterator->has_edge && around.iterator->nearby == nullptr)
        e.own_of.push_back(around.iterator);
    }
    add(e);
    indent_ -= 2;
  }
  body(depth, 1 + static_cast<int>(below(3)));
  close_loop();
  scopes_.pop_back();
  line("}");
}

void Writer::branch(int depth) {
  line(fmt::format("If ({}) {{", condition(3)));
  body(depth, 1 + static_cast<int>(below(2)));
  if (chance(50)) {
    line("} Else {");
    body(depth, 1 + static_cast<int>(below(2)));
  }
  line("}");
}

// Generates a While that runs a few times at most.
void Writer::while_loop(int depth) {
  const Symbol& counter = add({.name = fresh("w"), .type = VT::int32, .fixed = true});
  line(fmt::format("Int {} = 0;", counter.name));
  const std::string test = fmt::format("{} < {} && {}", counter.name, 1 + below(4), condition(2));
  const bool first = chance(60);
  line(first ? fmt::format("While ({}) {{", test) : "Do {");
  scopes_.emplace_back();
  indent_ += 2;
  line(fmt::format("{}++;", counter.name));
  indent_ -= 2;
  // An assignment can't be bound to a While, but variables declared in it are initialized in each
  // iteration.
  body(depth, 1 + static_cast<int>(below(3)));
  scopes_.pop_back();
  line(first ? "}" : fmt::format("}} While ({});", test));
}

}  // namespace Atoll::greenmarl::oracle
