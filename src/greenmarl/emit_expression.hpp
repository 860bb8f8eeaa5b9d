// Emits C++ of expressions.
#pragma once

#include <map>
#include <set>
#include <string>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// The names of an expression's symbols at some place of the emitted code.
struct Environment {
  /// Graphs, variables, iterators, collections, traversals.
  std::map<ir::SymbolId, std::string> values;
  std::map<ir::SymbolId, std::string> objects;   ///< Array objects of properties
  std::map<ir::SymbolId, std::string> pointers;  ///< used if the code is in a loop on raw pointers
  std::map<std::pair<ir::SymbolId, ir::GraphArray>, std::string> graph_pointers;
  std::map<ir::SymbolId, std::string> edges;  ///< of iterators: the position that led to them
  std::set<ir::SymbolId> shared;              ///< what other threads reach at the same time
  std::string random = "random";              ///< the generator of random numbers
  bool on_pointers = false;                   ///< false: elements are reached one by one
  bool in_parallel = false;                   ///< other threads run the same code
};

[[nodiscard]] std::string_view cpp_type(ValueType type);
[[nodiscard]] std::string cpp_type(const Type& type);
/// What a variable of this type starts as.
[[nodiscard]] std::string cpp_zero(const Type& type);
/// Returns "…", escaped.
[[nodiscard]] std::string cpp_string(std::string_view text);
/// The place in the program as a C++ string, for messages of the running program.
[[nodiscard]] std::string cpp_place(const ir::Procedure& procedure, Position at);

/// The symbol's value as an index; with `checked`, the program stops there if it is NIL.
[[nodiscard]] std::string cpp_index(const ir::Procedure& procedure, const Environment& environment,
                                    ir::SymbolId node, bool checked, Position at);
/// Emits an element that is read or, on pointers, written.
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
/// A statement of foreign text, with the names that it mentions, on lines of its own.
[[nodiscard]] std::string cpp_foreign(const ir::Procedure& procedure,
                                      const Environment& environment, const ir::Expr& expr);

}  // namespace Atoll::greenmarl
