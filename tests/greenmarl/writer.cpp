// Names, and the rules that keep iterations independent.
#include "writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator.hpp"
#include "value.hpp"

namespace Atoll::greenmarl::oracle {

std::string name_of(ValueType type) {
  return std::string(to_string(type));
}

std::string Writer::type_text(ValueType type) const {
  return name_of(type) + (is_element(type) ? of() : "");
}

std::string Writer::one_of_words(std::string_view words) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    all.emplace_back(words.substr(begin, end - begin));
    begin = end + 1;
  }
  return one_of(all);
}

const Symbol& Writer::add(Symbol symbol) {
  symbol.loops = loops_.size();
  symbol.graph = graph_;
  symbols_.push_back(std::move(symbol));
  scopes_.back().push_back(&symbols_.back());
  return symbols_.back();
}

std::string Writer::fresh(const std::string& begin) {
  return fmt::format("{}{}", begin, ++names_);
}

std::vector<const Symbol*> Writer::visible(const std::function<bool(const Symbol&)>& wanted) const {
  const auto in_sight = [&](const Symbol& s) {
    const bool everywhere = s.what == What::scalar ? !is_element(s.type)
                            : s.what == What::map  ? !is_element(s.type) && !is_element(s.key)
                                                   : false;
    return everywhere || s.graph == graph_;
  };
  std::vector<const Symbol*> all;
  for (const auto& scope : scopes_)
    for (const Symbol* symbol : scope)
      if (in_sight(*symbol) && wanted(*symbol)) all.push_back(symbol);
  return all;
}

const Symbol* Writer::pick(const std::function<bool(const Symbol&)>& wanted) {
  const auto all = visible(wanted);
  return all.empty() ? nullptr : one_of(all);
}

bool Writer::in_foreach() const {
  return std::ranges::any_of(loops_, &OpenLoop::unordered);
}

/// Returns true if all surrounding Foreach loops permit this access along with their earlier ones.
/// If so, records it.
bool Writer::may(const Symbol& symbol, Role role, const Symbol* at) {
  std::vector<std::pair<OpenLoop*, Role>> changes;
  for (std::size_t i = symbol.loops; i < loops_.size(); ++i) {
    OpenLoop& loop = loops_[i];
    if (!loop.unordered) continue;
    const bool own =
        at != nullptr &&
        (at == loop.iterator || std::ranges::find(at->own_of, loop.iterator) != at->own_of.end());
    const auto known = loop.roles.find(&symbol);
    const bool unknown = known == loop.roles.end();
    const Role::Kind now = unknown ? Role::read : known->second.kind;
    const bool same_op = !unknown && known->second.op == role.op;
    Role next = role;
    switch (role.kind) {
      case Role::read:
        if (unknown) {
          if (own && chance(50)) next = {Role::own, ""};
          break;
        }
        if (now == Role::combine || now == Role::change) return false;
        if (now == Role::own && !own && !(at != nullptr && at->nearby == loop.iterator))
          return false;
        next = known->second;
        break;
      case Role::own:  // writes of any kind
        if (!own || (!unknown && now != Role::own)) return false;
        break;
      case Role::combine:
      case Role::change:
        if (own && (unknown || now == Role::own)) {
          next = {Role::own, ""};
          break;
        }
        if (!unknown && (now != role.kind || !same_op)) return false;
        break;
      case Role::defer:  // for the element of the outermost Foreach
        if (!own || (!unknown && now != Role::read && now != Role::defer)) return false;
        break;
    }
    changes.emplace_back(&loop, next);
  }
  for (auto& [loop, next] : changes) loop->roles[&symbol] = next;
  return true;
}

void Writer::open_loop(const Symbol* iterator, bool unordered) {
  loops_.push_back({iterator, unordered, {}});
}

void Writer::close_loop() {
  loops_.pop_back();
}

void Writer::line(const std::string& text) {
  text_.append(static_cast<std::size_t>(indent_), ' ').append(text).append("\n");
}

/// Returns parameters that belong to one graph, each after ", ".
std::string Writer::parameters(bool output) {
  std::string list;
  const auto parameter = [&](const Symbol& symbol, const std::string& type) {
    list += fmt::format(", {}: {}", symbol.name, type);
  };
  for (std::size_t i = 1 + below(2); i > 0; --i) {
    const ValueType type = value_type();
    parameter(add({.name = fresh(output ? "out" : "arg"), .type = type}), type_text(type));
  }
  const auto property = [&](bool edges, ValueType type) {
    const std::string kind = edges ? one_of_words("E_P Edge_Prop Edge_Property")
                                   : one_of_words("N_P Node_Prop Node_Property");
    parameter(add({.name = fresh(edges ? "e" : "p"),
                   .what = edges ? What::edge_prop : What::node_prop,
                   .type = type}),
              fmt::format("{}<{}>{}", kind, type_text(type), maybe_of()));
  };
  for (std::size_t i = 1 + below(2); i > 0; --i)
    property(false, chance(10) ? ValueType::edge : value_type());
  if (chance(50)) property(true, value_type());
  const auto collection = [&](std::size_t percent, const std::string& begin, What what,
                              const std::string& type) {
    if (chance(percent)) parameter(add({.name = fresh(begin), .what = what}), type + maybe_of());
  };
  const std::string set = one_of_words("N_S Node_Set");
  collection(40, "S", What::set, set);
  collection(25, "O", What::order, one_of_words("N_O Node_Order"));
  collection(25, "Q", What::sequence, one_of_words("N_Q Node_Seq Node_Sequence"));
  collection(12, "C", What::sets, fmt::format("Collection<{}>", set));
  collection(12, "p", What::set_prop, fmt::format("{}<{}>", one_of_words("N_P Node_Prop"), set));
  if (chance(30)) {
    const ValueType key = value_type(), type = value_type();
    parameter(add({.name = fresh("m"), .what = What::map, .type = type, .key = key}),
              fmt::format("Map<{}, {}>", type_text(key), type_text(type)));
  }
  if (several_ && graph_ == 0)
    parameter(add({.name = fresh("p"), .what = What::far_prop}), "N_P<Node(H)>(G)");
  return list;
}

ValueType Writer::value_type() {
  return one_of(std::vector{ValueType::int32, ValueType::int32, ValueType::int64,
                            ValueType::float32, ValueType::float64, ValueType::boolean,
                            ValueType::node});
}

std::string Writer::program(const std::string& name) {
  scopes_.emplace_back();
  several_ = chance(25);
  std::string lists[2];
  for (const bool output : {false, true}) {
    std::string& list = lists[static_cast<int>(output)];
    list = parameters(output);
    if (several_) list += in_the_other([&] { return parameters(output); });
  }
  std::string helpers_text;
  helpers();
  std::swap(helpers_text, text_);
  returns_ = value_type();
  line(fmt::format("{} {}(G: Graph{}{}; {}) : {} {{", one_of_words("Procedure Proc"), name,
                   several_ ? ", H: Graph" : "", lists[0], lists[1].substr(2),
                   type_text(returns_)));
  indent_ = 2;
  left_ = 22;
  scopes_.emplace_back();
  while (left_ > 0) statement(3);
  line(fmt::format("Return {};", expression(returns_, 2)));
  indent_ = 0;
  line("}");
  return helpers_text + text_;
}

std::string random_program(std::uint64_t seed, const std::string& name) {
  return Writer(seed).program(name);
}

}  // namespace Atoll::greenmarl::oracle
