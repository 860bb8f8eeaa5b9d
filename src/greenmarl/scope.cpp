// Keeps scopes as a stack of maps.
#include "greenmarl/scope.hpp"

#include <fmt/format.h>

namespace Atoll::greenmarl {

const Scopes::Entry* Scopes::look_up(const std::string& name) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
    if (const auto found = level->find(name); found != level->end()) return &found->second;
  return nullptr;
}

void Scopes::declare(const ast::Name& name, ir::SymbolId symbol) {
  if (const Entry* known = look_up(name.text))
    fail(source_, name.at,
         fmt::format("'{}' is declared already, in line {}", name.text, known->at.line),
         "choose another name");
  levels_.back().emplace(name.text, Entry{symbol, name.at});
}

ir::SymbolId Scopes::find(const ast::Name& name) const {
  if (const Entry* known = look_up(name.text)) return known->symbol;
  fail(source_, name.at, fmt::format("'{}' is not declared", name.text),
       "declare it before it is used");
}

}  // namespace Atoll::greenmarl
