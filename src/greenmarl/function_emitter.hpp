// Implementation class of emit_function(). Statements, writes, loops, parallel loops and traversals
// have separate files. Outside of loops over nodes or edges, elements are accessed through their
// Array, and written to every copy. Loops over nodes or edges obtain raw pointers at their start.
// An array that such a loop writes is read through the same pointer, and its other copies are
// updated after the loop. Every layout therefore gives the same result.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "greenmarl/effects.hpp"
#include "greenmarl/emit_expression.hpp"
#include "greenmarl/emit_names.hpp"
#include "greenmarl/loop_needs.hpp"

namespace Atoll::greenmarl {

class FunctionEmitter {
 public:
  explicit FunctionEmitter(const ir::Procedure& procedure);
  std::string run(const std::string& name);

 private:
  // emit_function.cpp
  void prologue();
  void graphs();
  void parameters();
  void block(const std::vector<ir::Stmt>& statements);
  void statement(const ir::Stmt& stmt);
  void if_chain(const ir::Stmt& first);
  void declaration(const ir::Stmt& stmt);
  void while_loop(const ir::Stmt& stmt);
  void region(const ir::Stmt& stmt);
  void report();
  void return_statement(const ir::Stmt& stmt);
  void foreign(const ir::Stmt& stmt);

  // emit_writes.cpp
  void assign(const ir::Stmt& stmt);
  void write(const ir::Stmt& stmt);
  void map_write(const ir::Stmt& stmt);
  void take(const ir::Stmt& stmt);
  void best(const ir::Stmt& stmt);
  void store(const ir::Place& place, const std::string& index, const std::string& value);
  void call(const ir::Expr& expr);
  /// "target op= value;"
  static std::string combination(const std::string& target, AssignOp op, const std::string& value,
                                 const Type& type);
  [[nodiscard]] bool is_shared(ir::SymbolId symbol) const {
    return environment_.in_parallel && environment_.shared.contains(symbol);
  }

  // emit_loops.cpp
  void loop(const ir::Stmt& stmt);
  [[nodiscard]] std::string size_of(const ir::Stmt& loop) const;
  [[nodiscard]] ir::SymbolId graph_of(ir::SymbolId element) const {
    return procedure_[element].type.graph;
  }
  void plain_loop(const ir::Stmt& stmt);
  void nodes_loop(const ir::Stmt& stmt);
  void neighbours_loop(const ir::Stmt& stmt);
  void items_loop(const ir::Stmt& stmt);
  void take_pointers(const LoopNeeds& needs);
  void sync(const LoopNeeds& needs);
  void traversal(const ir::Stmt& stmt);
  void breadth_first(const ir::Stmt& stmt);
  void depth_first(const ir::Stmt& stmt);
  [[nodiscard]] std::string lists(const ir::Stmt& traversal) const;
  void navigator(const ir::Stmt& stmt, const std::string& call);

  // emit_parallel.cpp
  void parallel_loop(const ir::Stmt& stmt);
  void open_chunk(const ir::Stmt& stmt, const std::string& call, const std::string& identity);
  void close_chunk(const std::string& content);
  /// A variable that is initialised with a reduction's identity directly before its loop is instead
  /// declared with the loop's result. Emits both, or returns false.
  bool declared_by_loop(const ir::Stmt& declaration, const ir::Stmt& loop);
  void reducing_loop(const ir::Stmt& stmt, const LoopNeeds& needs);
  void reduce_into(std::string_view qualifier, const std::string& result, const ir::Stmt& stmt,
                   const LoopNeeds& needs);
  void reducing_loop_of_several(const ir::Stmt& stmt, const LoopNeeds& needs);
  void combine_part(const LoopReduction& reduction, const std::vector<std::string>& into,
                    const std::vector<std::string>& from);
  std::vector<std::vector<std::string>> chunk_body(const ir::Stmt& stmt, const LoopNeeds& needs);
  [[nodiscard]] std::string start_of(const LoopReduction& reduction, std::size_t target) const;
  void after_parallel(const LoopNeeds& needs);

  // Text output.
  void line(std::string_view content);
  void open(std::string_view content);    ///< writes a line, then indents
  void close(std::string_view content);   ///< unindents, then writes a line
  void reopen(std::string_view content);  ///< writes "} else {"
  [[nodiscard]] std::string cpp(const ir::Expr& expr) const {
    return greenmarl::cpp(procedure_, environment_, expr);
  }
  [[nodiscard]] const std::string& value(ir::SymbolId symbol) const {
    return environment_.values.at(symbol);
  }
  [[nodiscard]] const std::string& object(ir::SymbolId symbol) const {
    return environment_.objects.at(symbol);
  }
  [[nodiscard]] std::string index(ir::SymbolId node, bool checked, Position at) const {
    return cpp_index(procedure_, environment_, node, checked, at);
  }
  [[nodiscard]] std::string collection(ir::Place place, bool checked, Position at) const {
    return cpp_collection(procedure_, environment_, place, checked, at);
  }

  const ir::Procedure& procedure_;
  const ir::Effects effects_;
  Environment environment_;
  std::vector<Environment> around_chunks_;
  NameScopes names_;
  std::string text_;
  std::size_t indent_ = 0;
  const ir::Stmt* last_ = nullptr;  ///< the function's last statement
  int labels_ = 0;
};

}  // namespace Atoll::greenmarl
