// Generator of statements with collections and maps.
#include <fmt/format.h>

#include "value.hpp"
#include "writer.hpp"

namespace Atoll::greenmarl::oracle {

using VT = ValueType;

void Writer::use_collection() {
  const Symbol* held = pick([](const Symbol& s) {
    return s.what == What::set || s.what == What::order || s.what == What::sequence ||
           s.what == What::set_prop;
  });
  if (held == nullptr) return declare();
  const auto element = node_element();
  const Symbol* at = nullptr;
  std::string name = held->name;
  if (held->what == What::set_prop) {
    const auto where = node_element();
    if (!where) return;
    at = where->symbol;
    name = fmt::format("{}.{}", where->text, held->name);
  }
  const bool set = held->what == What::set || held->what == What::set_prop;
  const auto changes = [&](const std::string& builtin) {
    return may(*held, {Role::change, builtin}, at);
  };
  if (set) {
    if (element && chance(50)) {
      const std::string builtin = chance(70) ? "Add" : "Remove";
      if (!changes(builtin)) return;
      return line(fmt::format("{}.{}({});", name, builtin, element->text));
    }
    if (in_foreach() && at == nullptr && held->loops == 0) return;
    const Symbol* other = pick([&](const Symbol& s) { return s.what == What::set && &s != held; });
    if (other == nullptr || !may(*other, {Role::read, ""})) return;
    if (chance(20)) {
      if (!may(*held, {Role::own, ""}, at)) return;
      return line(fmt::format("{} = {};", name, other->name));
    }
    const std::string builtin = one_of_words("Union Intersect Complement");
    if (!changes(builtin)) return;
    return line(fmt::format("{}.{}({});", name, builtin, other->name));
  }
  // Iterations that share an order or a sequence would insert items in no fixed order.
  if (!may(*held, {Role::own, ""})) return;
  if (element && chance(70))
    return line(
        fmt::format("{}.{}({});", name, one_of_words("PushBack Push PushFront"), element->text));
  if (chance(10)) return line(fmt::format("{}.Clear();", name));
  const Symbol& popped = add({.name = fresh("x"), .type = VT::node});
  line(fmt::format("{} {};", type_text(VT::node), popped.name));
  line(fmt::format("If ({}.Size() > 0) {} = {}.{}();", name, popped.name, name,
                   one_of_words("Pop PopFront PopBack")));
}

void Writer::use_map() {
  const Symbol* map = pick([](const Symbol& s) { return s.what == What::map; });
  if (map == nullptr) return declare();
  if (!in_foreach() && chance(20))
    return line(chance(20) ? fmt::format("{}.Clear();", map->name)
                           : fmt::format("{}.Remove({});", map->name, expression(map->key, 2)));
  const VT type = map->type;
  const Symbol* const own = loops_.empty() ? nullptr : loops_.front().iterator;
  if (in_foreach() && own != nullptr && own->type == map->key && own->graph == map->graph &&
      chance(40)) {
    if (may(*map, {Role::own, "="}, own))
      line(fmt::format("{}[{}] = {};", map->name, own->name, expression(type, 2)));
    return;
  }
  const bool combine = !is_element(type) && chance(in_foreach() ? 100 : 60);
  const std::string op = !combine              ? "="
                         : type == VT::boolean ? one_of_words("&= |=")
                                               : one_of_words("+= min= max=");
  if (!may(*map, {combine ? Role::combine : Role::own, op})) return;
  line(fmt::format("{}[{}] {} {};", map->name, expression(map->key, 2), op, expression(type, 2)));
}

// Generates a statement with a Collection of sets.
void Writer::use_sets(int depth) {
  const Symbol* set = pick([](const Symbol& s) { return s.what == What::set; });
  if (set == nullptr) return declare();
  const Symbol* sets = pick([](const Symbol& s) { return s.what == What::sets; });
  if (sets == nullptr) {
    sets = &add({.name = fresh("C"), .what = What::sets});
    line(fmt::format("Collection<{}>{} {};", one_of_words("N_S Node_Set"), maybe_of(), sets->name));
  }
  line(fmt::format("{}.PushBack({});", sets->name, set->name));
  if (chance(40))
    line(fmt::format("If ({0}.Size() > 1) {1}{0}.PopBack();", sets->name,
                     set->loops == 0 && chance(60) ? set->name + " = " : ""));
  scopes_.emplace_back();
  const Symbol& one = add({.name = fresh("n"), .what = What::set});
  line(fmt::format("For ({}: {}.Items) {{", one.name, sets->name));
  open_loop(&one, false);
  const_cast<Symbol&>(one).loops = loops_.size();
  body(depth, 1 + static_cast<int>(below(2)));
  close_loop();
  scopes_.pop_back();
  line("}");
}

}  // namespace Atoll::greenmarl::oracle
