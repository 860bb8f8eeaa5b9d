// Names and the symbols that they stand for. An inner name never hides an outer one: that is an
// error, as in the language's reference.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "greenmarl/ast.hpp"
#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

class Scopes {
 public:
  explicit Scopes(const Source& source) : source_(source) {}

  void open() { levels_.emplace_back(); }
  void close() { levels_.pop_back(); }
  /// Throws SourceError if the name is visible already.
  void declare(const ast::Name& name, ir::SymbolId symbol);
  /// The graph's name stands for no symbol.
  void declare_graph(const ast::Name& name) { declare(name, ir::kNoSymbol); }
  /// Returns kNoSymbol for the graph. Throws SourceError for an undeclared name.
  [[nodiscard]] ir::SymbolId find(const ast::Name& name) const;

 private:
  struct Entry {
    ir::SymbolId symbol;
    Position at;
  };
  [[nodiscard]] const Entry* look_up(const std::string& name) const;

  const Source& source_;
  std::vector<std::map<std::string, Entry>> levels_;
};

}  // namespace Atoll::greenmarl
