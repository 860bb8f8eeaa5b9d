// Emits C++ of expressions.
#pragma once

#include <map>
#include <string>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// The names of an expression's symbols at some place of the emitted code.
struct Environment {
  std::map<ir::SymbolId, std::string> values;    ///< variables, iterators
  std::map<ir::SymbolId, std::string> objects;   ///< Array objects of properties
  std::map<ir::SymbolId, std::string> pointers;  ///< used if the code is in a loop on raw pointers
  std::map<ir::GraphArray, std::string> graph_pointers;
  bool on_pointers = false;  ///< false: elements are reached one by one
};

[[nodiscard]] std::string_view cpp_type(Type type);
/// Returns "…", escaped.
[[nodiscard]] std::string cpp_string(std::string_view text);

/// Emits an element that is read. The emitter handles the places that are written.
[[nodiscard]] std::string cpp_element(const Environment& environment, ir::SymbolId property,
                                      ir::SymbolId node);
/// Emits an element of the graph's own arrays; `offset` is "" or " + 1".
[[nodiscard]] std::string cpp_element(const Environment& environment, ir::GraphArray array,
                                      const std::string& index);
[[nodiscard]] std::string cpp(const ir::Procedure& procedure, const Environment& environment,
                              const ir::Expr& expr);

}  // namespace Atoll::greenmarl
