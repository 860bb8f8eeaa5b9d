// C++ of expressions.
#pragma once

#include <map>
#include <string>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// What the symbols of expressions are called at some place of the emitted code.
struct Environment {
  std::map<ir::SymbolId, std::string> values;    ///< variables, iterators
  std::map<ir::SymbolId, std::string> objects;   ///< Array objects of properties
  std::map<ir::SymbolId, std::string> pointers;  ///< where the code is in a loop on raw pointers …
  std::map<ir::GraphArray, std::string> graph_pointers;
  bool on_pointers = false;  ///< … else elements are reached one by one
};

[[nodiscard]] std::string_view cpp_type(Type type);
/// "…", escaped.
[[nodiscard]] std::string cpp_string(std::string_view text);

/// An element to read; the places to write to are the emitter's business.
[[nodiscard]] std::string cpp_element(const Environment& environment, ir::SymbolId property,
                                      ir::SymbolId node);
/// An element of the graph's own arrays; `offset`: "" or " + 1".
[[nodiscard]] std::string cpp_element(const Environment& environment, ir::GraphArray array,
                                      const std::string& index);
[[nodiscard]] std::string cpp(const ir::Procedure& procedure, const Environment& environment,
                              const ir::Expr& expr);

}  // namespace Atoll::greenmarl
