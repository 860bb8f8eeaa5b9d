// Generator of expressions. Each has the requested type, or one that converts to it without loss.
#include <fmt/format.h>

#include <algorithm>

#include "value.hpp"
#include "writer.hpp"

namespace Atoll::greenmarl::oracle {

std::string Writer::expression(ValueType type, int depth) {
  if (type == ValueType::boolean) return condition(depth);
  if (type == ValueType::node) return node(depth, false);
  if (type == ValueType::edge) return edge(depth);
  return number(type, depth);
}

std::string Writer::literal(ValueType type) {
  switch (type) {
    case ValueType::int32:
      return fmt::format("{}", below(14));
    case ValueType::int64:
      return chance(10) ? fmt::format("{}", 3'000'000'000 + below(9))
                        : fmt::format("{}", below(60));
    case ValueType::boolean:
      return one_of_words("True False");
    default:
      return fmt::format("{}.{}", below(9), one_of_words("0 25 5 75"));
  }
}

std::string Writer::number(ValueType type, int depth) {
  const bool real = is_real(type);
  const auto same = [&] { return number(type, depth - 1); };
  // Returns a type that converts to the requested one without loss.
  const auto narrower = [&] {
    if (type == ValueType::int32) return ValueType::int32;
    if (type == ValueType::float32) return chance(50) ? ValueType::float32 : ValueType::int32;
    if (type == ValueType::int64) return chance(50) ? ValueType::int64 : ValueType::int32;
    return one_of(
        std::vector{ValueType::int32, ValueType::int64, ValueType::float32, ValueType::float64});
  };
  if (depth <= 0 || chance(30)) {
    if (chance(70))
      if (const auto read = read_of(narrower())) return *read;
    return literal(type);
  }
  if (several_ && chance(8)) return in_the_other(same);
  if (chance(8))
    if (const auto value = of_map(type, depth)) return *value;
  switch (below(18)) {
    case 0:
    case 1:
      return fmt::format("({} {} {})", same(), one_of_words("+ -"), number(narrower(), depth - 1));
    case 2:
      return fmt::format("({} * {})", number(narrower(), depth - 1), literal(type));
    case 3:
      return fmt::format("({} / {})", same(),
                         real ? one_of_words("2 4 8.0") : one_of_words("2 3 7"));
    case 4:
      return real ? fmt::format("({} * 0.5)", same())
                  : fmt::format("({} % {})", same(), one_of_words("2 3 5 10"));
    case 5:  // the divisor isn't 0
      if (real) return fmt::format("(-{})", same());
      return fmt::format("({} {} (|({}) % 5| + 1))", same(), one_of_words("/ %"), same());
    case 6:
      return fmt::format("|({})|", same());
    case 7:
      return fmt::format("(-{})", same());
    case 8:
      return fmt::format("({} ? {} : {})", condition(depth - 1), same(),
                         number(narrower(), depth - 1));
    case 9:
      return fmt::format("({} ? {} : {})", condition(depth - 1), same(),
                         one_of_words("INF -INF +INF"));
    case 10:
    case 11:
      if (const auto sum = reduction(type, depth)) return *sum;
      return same();
    case 12:
      if (const auto value = call(type, depth)) return *value;
      return same();
    case 13:
      if (const auto value = of_map(type, depth)) return *value;
      return same();
    case 14:
      if (const auto value = count(depth))
        return type == ValueType::int32 ? fmt::format("(Int) {}", *value) : *value;
      return same();
    case 15:  // casts
      if (real)
        return fmt::format("(({}) {})", name_of(type), number(ValueType::float64, depth - 1));
      return fmt::format("(({}) {})", name_of(type),
                         chance(30) ? condition(depth - 1) : number(ValueType::float64, depth - 1));
    case 16:
      if (type == ValueType::float64 && chance(40))
        return fmt::format("Pow({}, {})", one_of_words("2 3 0.5"), one_of_words("2 3"));
      return same();
    default:
      if (type == ValueType::int32 || type == ValueType::int64)
        return chance(50) ? "Rand(1)" : fmt::format("(Uniform() < 1 ? {} : 77)", same());
      return type == ValueType::float64
                 ? fmt::format("({} ? Log(|({})| + 1.5) : Exp(0.25))", condition(depth - 1), same())
                 : same();
  }
}

std::string Writer::condition(int depth) {
  if (depth <= 0 || chance(15)) {
    if (chance(80))
      if (const auto read = read_of(ValueType::boolean)) return *read;
    if (const auto element = node_element(); element && chance(50))
      return fmt::format("({}.{}() {} {})", element->text, one_of_words("Degree InDegree NumNbrs"),
                         one_of_words("> == <"), below(3));
    return literal(ValueType::boolean);
  }
  const auto numbers = [&] {
    const auto type = [&] {
      return one_of(
          std::vector{ValueType::int32, ValueType::int32, ValueType::int64, ValueType::float64});
    };
    return fmt::format("({} {} {})", number(type(), depth - 1), one_of_words("== != < <= > >="),
                       chance(10) ? "INF" : number(type(), depth - 1));
  };
  switch (below(12)) {
    case 0:
    case 1:
      return fmt::format("({} {} {})", condition(depth - 1), one_of_words("&& || And Or == !="),
                         condition(depth - 1));
    case 2:
      return fmt::format("(!{})", condition(depth - 1));
    case 3:
    case 4:
      return fmt::format("({} {} {})", node(depth - 1, false), one_of_words("== != < <= > >="),
                         node(depth - 1, false));
    case 5: {
      const auto a = node_element(), b = node_element();
      if (!a || !b) return numbers();
      return fmt::format("{}.{}({})", a->text, one_of_words("HasEdgeTo HasEdgeFrom IsNbrFrom"),
                         b->text);
    }
    case 6: {
      const Symbol* held =
          pick([](const Symbol& s) { return s.what == What::set || s.what == What::order; });
      const auto element = node_element();
      if (held == nullptr || !element || !may(*held, {Role::read, ""})) return numbers();
      return fmt::format("{}.Has({})", held->name, element->text);
    }
    case 7: {
      const Symbol* a = pick([](const Symbol& s) { return s.what == What::set; });
      const Symbol* b = pick([](const Symbol& s) { return s.what == What::set; });
      if (a == nullptr || !may(*a, {Role::read, ""}) || !may(*b, {Role::read, ""}))
        return numbers();
      return fmt::format("{}.IsSubsetOf({})", a->name, b->name);
    }
    case 8:
      if (const auto value = reduction(ValueType::boolean, depth)) return *value;
      return numbers();
    case 9: {
      const Symbol* map = pick([](const Symbol& s) { return s.what == What::map; });
      if (map == nullptr || !may(*map, {Role::read, ""})) return numbers();
      const std::string key = expression(map->key, depth - 1);
      return fmt::format("{}.{}({})", map->name, one_of_words("HasKey HasMinValue HasMaxValue"),
                         key);
    }
    case 10:
      if (const auto element = node_element(); element && chance(40))
        return fmt::format("({}.PickRandomNbr() == NIL)", element->text);
      if (const auto value = call(ValueType::boolean, depth)) return *value;
      return numbers();
    default:
      return numbers();
  }
}

/// Returns a node that isn't NIL, if one is in scope.
std::optional<Element> Writer::node_element() {
  const auto is_node = [](const Symbol& s) {
    return s.what == What::scalar && s.type == ValueType::node && s.exists;
  };
  if (chance(12))
    if (const auto from = edge_element())
      return Element{fmt::format("{}.{}()", from->text, one_of_words("FromNode ToNode")), nullptr};
  const auto nodes = visible(is_node);
  if (nodes.empty()) return std::nullopt;
  const Symbol* const symbol = chance(45) ? nodes.back() : one_of(nodes);
  return Element{symbol->name, symbol};
}

std::optional<Element> Writer::edge_element() {
  const Symbol* symbol = pick([](const Symbol& s) {
    return s.what == What::scalar && ((s.type == ValueType::edge && s.exists) || s.has_edge);
  });
  if (symbol == nullptr) return std::nullopt;
  if (!symbol->has_edge) return Element{symbol->name, symbol};
  return Element{
      chance(50) ? fmt::format("Edge({})", symbol->name) : fmt::format("{}.ToEdge()", symbol->name),
      nullptr};
}

std::string Writer::node(int depth, bool exists) {
  if (!exists && chance(30))
    if (const auto far = far_node()) return *far;
  if (exists || chance(60))
    if (const auto element = node_element()) return element->text;
  if (depth > 0 && chance(20))
    return fmt::format("({} ? {} : {})", condition(depth - 1), node(depth - 1, false),
                       chance(50) ? "NIL" : node(depth - 1, false));
  if (chance(70))
    if (const auto read = read_of(ValueType::node)) return *read;
  // NIL alone has no type, so it is only compared with or chosen against a variable.
  const Symbol* variable =
      pick([](const Symbol& s) { return s.what == What::scalar && s.type == ValueType::node; });
  if (variable != nullptr && may(*variable, {Role::read, ""})) return variable->name;
  return fmt::format("({0}.NumNodes() < 0 ? {0}.PickRandom() : NIL)", graph());
}

/// Returns a node of the second graph, read from a property of the first one.
std::optional<std::string> Writer::far_node() {
  if (graph_ == 0) return std::nullopt;
  return in_the_other([&]() -> std::optional<std::string> {
    const Symbol* far = pick([](const Symbol& s) { return s.what == What::far_prop; });
    const auto at = node_element();
    if (far == nullptr || !at || !may(*far, {Role::read, ""}, at->symbol)) return std::nullopt;
    return fmt::format("{}.{}", at->text, far->name);
  });
}

std::string Writer::edge(int depth) {
  if (const auto element = edge_element(); element && chance(70)) return element->text;
  if (depth > 0)
    if (const auto read = read_of(ValueType::edge)) return *read;
  return "NIL";
}

/// Returns a read of a variable, or of a property of an element in scope.
std::optional<std::string> Writer::read_of(ValueType type) {
  const auto wanted = [&](const Symbol& s) {
    return s.type == type &&
           (s.what == What::scalar || s.what == What::node_prop || s.what == What::edge_prop);
  };
  for (int tries = 0; tries < 4; ++tries) {
    const Symbol* symbol =
        tries < 2 && chance(60)
            ? pick([&](const Symbol& s) { return wanted(s) && s.what != What::scalar; })
            : nullptr;
    if (symbol == nullptr) symbol = pick(wanted);
    if (symbol == nullptr) return std::nullopt;
    if (symbol->what == What::scalar) {
      if (may(*symbol, {Role::read, ""})) return symbol->name;
      continue;
    }
    const auto at = symbol->what == What::node_prop ? node_element() : edge_element();
    if (at && may(*symbol, {Role::read, ""}, at->symbol))
      return fmt::format("{}.{}", at->text, symbol->name);
  }
  return std::nullopt;
}

/// Returns the header of a loop or reduction.
std::optional<std::string> Writer::header(const std::string& it, bool unordered, Symbol& iterator) {
  iterator = {.name = it, .type = ValueType::node, .fixed = true, .exists = true};
  const bool nested = !loops_.empty();
  const auto element = node_element();
  // If a rare source exists, it is used often.
  const bool sets = pick([&](const Symbol& s) { return s.what == What::set_prop; }) != nullptr;
  const bool searched = searched_ != nullptr && searched_->graph == graph_;
  switch (searched && chance(35) ? 4 : sets && chance(35) ? 5 : below(10)) {
    case 0:
      if (nested && chance(80)) break;
      iterator.type = ValueType::edge;
      return fmt::format("{}: {}.Edges", it, graph());
    case 1:
    case 2: {
      const Symbol* held = pick([&](const Symbol& s) {
        return s.what == What::set || s.what == What::order ||
               (s.what == What::sequence && !unordered);
      });
      if (held == nullptr || !may(*held, {Role::read, ""})) break;
      return fmt::format("{}: {}{}.Items", it, held->name, unordered ? "" : one_of_words("+ -"));
    }
    case 3: {
      const auto other = node_element();
      if (!element || !other) break;
      return fmt::format("{}: {}.CommonNbrs({})", it, element->text, other->text);
    }
    case 4:
      if (!searched) break;
      iterator.has_edge = true;
      iterator.nearby = searched_;
      return fmt::format("{}: {}.{}", it, searched_->name, one_of_words("UpNbrs DownNbrs"));
    case 5:
    case 6: {
      const Symbol* held = pick([&](const Symbol& s) { return s.what == What::set_prop; });
      if (held == nullptr || !element || !may(*held, {Role::read, ""}, element->symbol)) break;
      return fmt::format("{}: {}.{}.Items", it, element->text, held->name);
    }
    default:
      break;
  }
  if (element && (nested || chance(50))) {
    iterator.has_edge = true;
    return fmt::format("{}: {}.{}", it, element->text, one_of_words("Nbrs OutNbrs InNbrs Nbrs"));
  }
  return fmt::format("{}: {}.Nodes", it, graph());
}

std::optional<std::string> Writer::reduction(ValueType type, int depth) {
  const std::string it = fresh("r");
  Symbol iterator;
  const auto range = header(it, true, iterator);
  if (!range) return std::nullopt;
  scopes_.emplace_back();
  const Symbol& added = add(iterator);
  open_loop(&added, false);
  const std::string filter = chance(40) ? fmt::format("({})", condition(depth - 1)) : "";
  std::string text;
  if (type == ValueType::boolean)
    text = fmt::format("{}({}){}{{{}}}", one_of_words("All Exist"), *range, filter,
                       condition(depth - 1));
  else if (type == ValueType::float64 && chance(30))
    text = fmt::format("Avg({}){}{{{}}}", *range, filter, number(ValueType::int32, depth - 1));
  else if (type == ValueType::int64 && chance(30))
    text = fmt::format("Count({}){}", *range, filter);
  else
    text = fmt::format("{}({}){}{{{}}}", one_of_words("Sum Sum Min Max Product"), *range, filter,
                       number(type, depth - 1));
  close_loop();
  scopes_.pop_back();
  return text;
}

/// Returns an expression of type Long that counts something.
std::optional<std::string> Writer::count(int depth) {
  const auto element = node_element();
  switch (below(4)) {
    case 0:
      return graph() + one_of_words(".NumNodes() .NumEdges()");
    case 1: {
      const Symbol* held = pick([](const Symbol& s) { return s.what >= What::set; });
      if (held == nullptr || !may(*held, {Role::read, ""})) return std::nullopt;
      return fmt::format("{}.Size()", held->name);
    }
    case 2:
      if (depth > 0 && chance(30)) {
        const Symbol* held = pick([](const Symbol& s) { return s.what == What::set_prop; });
        if (held != nullptr && element && may(*held, {Role::read, ""}, element->symbol))
          return fmt::format("{}.{}.Size()", element->text, held->name);
      }
      [[fallthrough]];
    default:
      if (!element) return std::nullopt;
      return fmt::format("{}.{}()", element->text,
                         one_of_words("Degree OutDegree InDegree NumNbrs NumOutNbrs NumInNbrs"));
  }
}

std::optional<std::string> Writer::of_map(ValueType type, int depth) {
  const Symbol* map = pick(
      [&](const Symbol& s) { return s.what == What::map && (s.type == type || s.key == type); });
  if (map == nullptr || !may(*map, {Role::read, ""})) return std::nullopt;
  if (map->type == type && chance(60))
    return fmt::format("{}[{}]", map->name, expression(map->key, depth - 1));
  const std::string least = map->type == type ? one_of_words("GetMinValue GetMaxValue")
                                              : one_of_words("GetMinKey GetMaxKey");
  return fmt::format("({}.Size() > 0 ? {}.{}() : {})", map->name, map->name, least,
                     number(type, depth - 1));
}

/// Returns a call of a procedure without side effects.
std::optional<std::string> Writer::call(ValueType type, int depth) {
  for (const Helper& helper : helpers_) {
    if (helper.gives != type || chance(30)) continue;
    std::string arguments;
    for (const ValueType takes : helper.takes)
      arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ", expression(takes, depth - 1));
    return fmt::format("{}({})", helper.name, arguments);
  }
  return std::nullopt;
}

}  // namespace Atoll::greenmarl::oracle
