// The interpreter's built-in functions.
#include <algorithm>
#include <cmath>

#include "machine.hpp"

namespace Atoll::greenmarl::oracle {
namespace {

using Kind = ast::TypeName::Kind;

Value count(std::size_t size) {
  return integer(ValueType::int64, static_cast<std::int64_t>(size));
}

bool has(const std::vector<Id>& items, Id id) {
  return std::ranges::find(items, id) != items.end();
}

/// Maps all spellings of a built-in to one name.
const std::string& first_name(const std::string& name) {
  static const std::map<std::string, std::string> others = {
      {"Degree", "OutDegree"},   {"NumNbrs", "OutDegree"},     {"NumOutNbrs", "OutDegree"},
      {"NumInNbrs", "InDegree"}, {"IsNbrFrom", "HasEdgeFrom"}, {"Push", "PushBack"},
      {"Pop", "PopFront"}};
  const auto found = others.find(name);
  return found == others.end() ? name : found->second;
}

bool has_edge(const World& world, Id from, Id to) {
  return std::ranges::any_of(world.out.at(static_cast<std::size_t>(from)), [&](Id e) {
    return world.edges[static_cast<std::size_t>(e)].second == to;
  });
}

}  // namespace

Id Machine::draw(Id limit) {
  drew_ = true;
  return static_cast<Id>(random_() % static_cast<std::uint64_t>(limit));
}

/// Returns the graph to which a node or an edge belongs.
const World& Machine::world_of(const ast::Expr& expr) {
  switch (expr.kind) {
    case ast::ExprKind::name:
      return *variable(expr.name.text)->type.world;
    case ast::ExprKind::field:
      return *property(expr.name.text)->type.of[0].world;
    case ast::ExprKind::index:
      return *variable(expr.args[0].name.text)->type.of[1].world;
    case ast::ExprKind::conditional:
      return world_of(expr.args[expr.args[1].kind == ast::ExprKind::nil ? 2 : 1]);
    case ast::ExprKind::call: {  // the returned node belongs to the procedure's graph argument
      for (const ast::Expr& arg : expr.args)
        if (arg.kind == ast::ExprKind::name)
          if (const Handle object = variable(arg.name.text);
              object != nullptr && object->type.kind == Kind::graph)
            return *object->type.world;
      throw std::logic_error("a node of no graph");
    }
    case ast::ExprKind::method:
      if (expr.args[0].kind == ast::ExprKind::name)
        if (const Handle map = variable(expr.args[0].name.text); map->type.kind == Kind::map)
          return *map->type.of[expr.name.text.ends_with("Key") ? 0 : 1].world;
      [[fallthrough]];
    default:
      return world_of(expr.args[0]);
  }
}

std::optional<Value> Machine::method(const ast::Expr& expr) {
  const ast::Expr& object = expr.args[0];
  const std::string& name = expr.name.text;
  if (name == "ToEdge") return edge(edge_to(object));
  Handle receiver;
  if (object.kind == ast::ExprKind::name) receiver = variable(object.name.text);
  if (takes_set(object)) receiver = collection(object);
  if (object.kind == ast::ExprKind::field && !property(object.name.text)->held.empty())
    receiver = collection(object);
  else if (object.kind == ast::ExprKind::field &&
           property(object.name.text)->type.of[0].kind != Kind::value)
    static_cast<void>(element(object.args[0]));  // stops if the node is NIL
  if (receiver != nullptr && receiver->type.kind != Kind::value) {
    const Kind kind = receiver->type.kind;
    const bool of_graph_itself = name == "NumNodes" || name == "NumEdges" || name == "PickRandom";
    const bool of_its_element =
        is_group(object) &&
        (name.ends_with("Degree") || name.ends_with("Nbrs") || name.ends_with("Node") ||
         name.starts_with("HasEdge") || name == "IsNbrFrom" || name == "PickRandomNbr");
    if (kind == Kind::graph && of_graph_itself) return of_graph(*receiver->type.world, expr);
    if (kind == Kind::map) return of_map(*receiver, expr);
    if (!of_its_element && kind != Kind::graph) return of_collection(*receiver, expr);
  }
  const Value value = evaluate(object);
  if (value.integer == kNil) throw Stop(expr.at, "NIL");
  return of_element(world_of(object), value, expr);
}

Value Machine::of_graph(const World& world, const ast::Expr& expr) {
  const std::string& name = expr.name.text;
  if (name == "NumNodes") return integer(ValueType::int64, world.nodes);
  if (name == "NumEdges") return count(world.edges.size());
  drew_ = true;
  return node(world.nodes == 0 ? kNil : draw(world.nodes));
}

Value Machine::of_element(const World& world, const Value& value, const ast::Expr& expr) {
  const std::string& name = first_name(expr.name.text);
  const auto at = static_cast<std::size_t>(value.integer);
  if (value.type == ValueType::edge)
    return node(name == "FromNode" ? world.edges.at(at).first : world.edges.at(at).second);
  if (name == "OutDegree") return count(world.out.at(at).size());
  if (name == "InDegree") return count(world.in.at(at).size());
  if (name == "PickRandomNbr") {
    drew_ = true;
    const std::vector<Id>& out = world.out.at(at);
    if (out.empty()) return node(kNil);
    const Id drawn = out[static_cast<std::size_t>(draw(static_cast<Id>(out.size())))];
    return node(world.edges[static_cast<std::size_t>(drawn)].second);
  }
  const Id other = evaluate(expr.args[1], ValueType::node).integer;
  if (other == kNil) throw Stop(expr.at, "NIL");
  return boolean(name == "HasEdgeTo" ? has_edge(world, value.integer, other)
                                     : has_edge(world, other, value.integer));
}

std::optional<Value> Machine::of_collection(Object& object, const ast::Expr& expr) {
  const std::string& name = first_name(expr.name.text);
  std::vector<Id>& items = object.items;
  const bool many = object.type.kind == Kind::collection;
  if (name == "Size") return count(many ? object.held.size() : items.size());
  if (name == "Clear") {
    items.clear();
    object.held.clear();
    return std::nullopt;
  }
  if (name == "PopBack" || name == "PopFront") {
    if (many ? object.held.empty() : items.empty()) throw Stop(expr.at, name + " of nothing");
    if (many) {
      object.held.pop_back();
      return std::nullopt;
    }
    const auto popped = name == "PopBack" ? items.end() - 1 : items.begin();
    const Id id = *popped;
    items.erase(popped);
    return node(id);
  }
  if (many) {  // PushBack
    Handle copied = make(object.type.of[0]);
    copy(*collection(expr.args[1]), *copied);
    object.held.push_back(std::move(copied));
    return std::nullopt;
  }
  if (name == "Union" || name == "Intersect" || name == "Complement" || name == "IsSubsetOf") {
    const std::vector<Id> other = collection(expr.args[1])->items;
    const auto in_other = [&](Id id) { return has(other, id); };
    if (name == "IsSubsetOf") return boolean(std::ranges::all_of(items, in_other));
    if (name == "Intersect") std::erase_if(items, [&](Id id) { return !in_other(id); });
    if (name == "Complement") std::erase_if(items, in_other);
    if (name == "Union")
      for (const Id id : other)
        if (!has(items, id)) items.push_back(id);
    std::ranges::sort(items);
    return std::nullopt;
  }
  const Id id = evaluate(expr.args[1], ValueType::node).integer;
  if (name == "Has") return boolean(has(items, id));
  if (name == "Remove") {
    std::erase(items, id);
    return std::nullopt;
  }
  if (id == kNil) throw Stop(expr.args[1].at, "NIL");
  if (object.type.kind != Kind::node_seq && has(items, id)) return std::nullopt;
  items.insert(name == "PushFront" ? items.begin() : items.end(), id);
  if (name == "Add") std::ranges::sort(items);
  return std::nullopt;
}

std::optional<Value> Machine::of_map(Object& object, const ast::Expr& expr) {
  const std::string& name = expr.name.text;
  auto& map = object.map;
  if (name == "Size") return count(map.size());
  if (name == "Clear") {
    map.clear();
    return std::nullopt;
  }
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  if (name.starts_with("Get")) {
    if (map.empty()) throw Stop(expr.at, name + " of nothing");
    const auto entry = name.starts_with("GetMin") ? std::ranges::min_element(map, less)
                                                  : std::ranges::max_element(map, less);
    return name.ends_with("Key") ? entry->first : entry->second;
  }
  const Value key = evaluate(expr.args[1], object.type.of[0].value);
  const auto entry = map.find(key);
  if (name == "HasKey") return boolean(entry != map.end());
  if (name == "Remove") {
    map.erase(key);
    return std::nullopt;
  }
  if (entry == map.end()) return boolean(false);
  return boolean(std::ranges::none_of(map, [&](const auto& other) {
    return name == "HasMinValue" ? less(other, *entry) : less(*entry, other);
  }));
}

/// Built-ins that have no receiver.
Value Machine::of_nothing(const ast::Expr& expr) {
  const std::string& name = expr.name.text;
  if (name == "Uniform") {
    drew_ = true;
    return real(ValueType::float64, std::ldexp(static_cast<double>(random_() >> 11), -53));
  }
  if (name == "Rand") {
    const Value limit = evaluate(expr.args[0], ValueType::int64);
    if (limit.integer <= 0) throw Stop(expr.at, "Rand of nothing");
    return integer(ValueType::int64, draw(limit.integer));
  }
  const double x = evaluate(expr.args[0], ValueType::float64).real;
  if (name == "Log") return real(ValueType::float64, std::log(x));
  if (name == "Exp") return real(ValueType::float64, std::exp(x));
  return real(ValueType::float64, std::pow(x, evaluate(expr.args[1], ValueType::float64).real));
}

}  // namespace Atoll::greenmarl::oracle
