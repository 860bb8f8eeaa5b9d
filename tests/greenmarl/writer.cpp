// Names, and which accesses keep iterations apart.
#include "writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator.hpp"

namespace Atoll::greenmarl::oracle {

std::string name_of(ValueType type) {
  return std::string(to_string(type));
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
  symbols_.push_back(std::move(symbol));
  scopes_.back().push_back(&symbols_.back());
  return symbols_.back();
}

std::string Writer::fresh(const std::string& begin) {
  return fmt::format("{}{}", begin, ++names_);
}

std::vector<const Symbol*> Writer::visible(const std::function<bool(const Symbol&)>& wanted) const {
  std::vector<const Symbol*> all;
  for (const auto& scope : scopes_)
    for (const Symbol* symbol : scope)
      if (wanted(*symbol)) all.push_back(symbol);
  return all;
}

const Symbol* Writer::pick(const std::function<bool(const Symbol&)>& wanted) {
  const auto all = visible(wanted);
  return all.empty() ? nullptr : one_of(all);
}

bool Writer::in_foreach() const {
  return std::ranges::any_of(loops_, &OpenLoop::unordered);
}

/// True if this access goes with the others of all Foreach around it; it counts from then on.
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
      case Role::own:  // any kind of writing
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
      case Role::defer:  // at the outermost Foreach's own element
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

std::string Writer::program(const std::string& name) {
  scopes_.emplace_back();
  std::string inputs = "G: Graph", outputs;
  const auto parameter = [&](std::string& list, const Symbol& symbol, const std::string& type) {
    list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", symbol.name, type);
  };
  const auto value_type = [&] {
    return one_of(std::vector{ValueType::int32, ValueType::int32, ValueType::int64,
                              ValueType::float32, ValueType::float64, ValueType::boolean,
                              ValueType::node});
  };
  const auto of_graph = [&] { return chance(50) ? "(G)" : ""; };
  for (const bool output : {false, true}) {
    std::string& list = output ? outputs : inputs;
    for (std::size_t i = 1 + below(2); i > 0; --i) {
      const ValueType type = value_type();
      parameter(list, add({.name = fresh(output ? "out" : "arg"), .type = type}), name_of(type));
    }
    for (std::size_t i = 1 + below(2); i > 0; --i) {
      const ValueType type = chance(10) ? ValueType::edge : value_type();
      parameter(list, add({.name = fresh("p"), .what = What::node_prop, .type = type}),
                fmt::format("{}<{}>{}", one_of_words("N_P Node_Prop Node_Property"), name_of(type),
                            of_graph()));
    }
    if (chance(50)) {
      const ValueType type = value_type();
      parameter(list, add({.name = fresh("e"), .what = What::edge_prop, .type = type}),
                fmt::format("{}<{}>{}", one_of_words("E_P Edge_Prop Edge_Property"), name_of(type),
                            of_graph()));
    }
    if (chance(40))
      parameter(list, add({.name = fresh("S"), .what = What::set}),
                one_of_words("N_S Node_Set") + of_graph());
    if (chance(25))
      parameter(list, add({.name = fresh("O"), .what = What::order}),
                one_of_words("N_O Node_Order") + of_graph());
    if (chance(25))
      parameter(list, add({.name = fresh("Q"), .what = What::sequence}),
                one_of_words("N_Q Node_Seq Node_Sequence") + of_graph());
    if (chance(30)) {
      const ValueType key = value_type(), type = value_type();
      parameter(list, add({.name = fresh("m"), .what = What::map, .type = type, .key = key}),
                fmt::format("Map<{}, {}>", name_of(key), name_of(type)));
    }
  }
  std::string helpers_text;
  helpers();
  std::swap(helpers_text, text_);
  returns_ = value_type();
  line(fmt::format("{} {}({}; {}) : {} {{", one_of_words("Procedure Proc"), name, inputs, outputs,
                   name_of(returns_)));
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
