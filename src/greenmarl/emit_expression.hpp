// Emits C++ of expressions.
#pragma once

#include <map>
#include <set>
#include <string>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// The names of symbols at a position in the emitted code.
struct Environment {
  /// Graphs, variables, iterators, collections, traversals.
  std::map<ir::SymbolId, std::string> values;
  std::map<ir::SymbolId, std::string> objects;   ///< Array objects of properties
  std::map<ir::SymbolId, std::string> pointers;  ///< used inside loops on raw pointers
  std::map<std::pair<ir::SymbolId, ir::GraphArray>, std::string> graph_pointers;
  std::map<ir::SymbolId, std::string> edges;  ///< for iterators: the edge followed to them
  std::set<ir::SymbolId> shared;              ///< symbols that other threads access concurrently
  std::string random = "random";              ///< C++ name of the random number generator
  bool on_pointers = false;                   ///< false: code uses the elements of Array objects
  bool in_parallel = false;                   ///< true if several threads run the code
};

[[nodiscard]] std::string_view cpp_type(ValueType type);
[[nodiscard]] std::string cpp_type(const Type& type);
/// The initial value of a variable of this type.
[[nodiscard]] std::string cpp_zero(const Type& type);
/// Returns the text as a C++ string literal.
[[nodiscard]] std::string cpp_string(std::string_view text);
/// Returns the position in the program as a C++ string literal, for run-time messages.
[[nodiscard]] std::string cpp_place(const ir::Procedure& procedure, Position at);

/// Emits the symbol's value as an index. If `checked`, emits a check that stops the program on NIL.
[[nodiscard]] std::string cpp_index(const ir::Procedure& procedure, const Environment& environment,
                                    ir::SymbolId node, bool checked, Position at);
/// Emits an element for reading or, on raw pointers, for writing.
[[nodiscard]] std::string cpp_element(const Environment& environment, ir::SymbolId property,
                                      const std::string& index);
/// Emits an element of a graph's own arrays.
[[nodiscard]] std::string cpp_element(const Environment& environment, ir::SymbolId graph,
                                      ir::GraphArray array, const std::string& index);
/// Emits a pointer to a graph's own array.
[[nodiscard]] std::string cpp_pointer(const Environment& environment, ir::SymbolId graph,
                                      ir::GraphArray array);
/// Emits a collection or map: a variable, or an element of a property of collections.
[[nodiscard]] std::string cpp_collection(const ir::Procedure& procedure,
                                         const Environment& environment, ir::Place place,
                                         bool checked, Position at);
[[nodiscard]] std::string cpp(const ir::Procedure& procedure, const Environment& environment,
                              const ir::Expr& expr);
/// Emits a statement of foreign text with the C++ names of its symbols, on separate lines.
[[nodiscard]] std::string cpp_foreign(const ir::Procedure& procedure,
                                      const Environment& environment, const ir::Expr& expr);

}  // namespace Atoll::greenmarl
