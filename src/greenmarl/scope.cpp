#include "greenmarl/scope.hpp"

#include <fmt/format.h>

namespace Atoll::greenmarl {

void Scopes::declare(Diagnostics& diagnostics, const ast::Name& name, ir::SymbolId symbol,
                     bool property) {
  const Key key{name.text, property};
  for (const auto& level : levels_)
    if (const auto known = level.find(key); known != level.end())
      diagnostics.error(
          name.at,
          fmt::format("'{}' is declared already, in line {}", name.text, known->second.at.line),
          "choose another name");
  levels_.back()[key] = {symbol, name.at};
}

ir::SymbolId Scopes::find(const Key& key) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
    if (const auto known = level->find(key); known != level->end()) return known->second.symbol;
  return ir::kNoSymbol;
}

std::vector<std::string_view> Scopes::names(bool property) const {
  std::vector<std::string_view> names;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
    for (const auto& [key, entry] : *level)
      if (key.second == property) names.push_back(key.first);
  return names;
}

}  // namespace Atoll::greenmarl
