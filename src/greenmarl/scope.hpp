// Maps names to symbols. Properties and variables have separate name spaces. Inside a name space,
// an inner name that hides an outer one is an error, as in the language's reference.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "greenmarl/ast.hpp"
#include "greenmarl/diagnostics.hpp"
#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

class Scopes {
 public:
  void open() { levels_.emplace_back(); }
  void close() { levels_.pop_back(); }
  /// Reports a name that is already visible. The new declaration applies from here on.
  void declare(Diagnostics& diagnostics, const ast::Name& name, ir::SymbolId symbol, bool property);
  /// Returns kNoSymbol for an undeclared name.
  [[nodiscard]] ir::SymbolId variable(const std::string& name) const { return find({name, false}); }
  [[nodiscard]] ir::SymbolId property(const std::string& name) const { return find({name, true}); }
  /// Return the visible names, inner ones first.
  [[nodiscard]] std::vector<std::string_view> variables() const { return names(false); }
  [[nodiscard]] std::vector<std::string_view> properties() const { return names(true); }

 private:
  struct Entry {
    ir::SymbolId symbol;
    Position at;
  };
  using Key = std::pair<std::string, bool>;  ///< a name, and whether it is a property's
  [[nodiscard]] ir::SymbolId find(const Key& key) const;
  [[nodiscard]] std::vector<std::string_view> names(bool property) const;

  std::vector<std::map<Key, Entry>> levels_;
};

}  // namespace Atoll::greenmarl
