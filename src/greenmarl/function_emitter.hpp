// The class behind emit_function(): statements in one file, writes, loops, parallel loops and
// traversals in others. Outside of loops over nodes or edges an element is reached through its
// Array, and written in every copy; such a loop takes raw pointers at its start. Arrays that a loop
// writes are read there through the same pointer, and brought to their other copies afterwards, so
// that every layout gives the same answer.
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
    return here_.in_parallel && here_.shared.contains(symbol);
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
  /// A variable that starts as a reduction's identity right before its loop is declared by the
  /// loop's result. Emits both, or returns false.
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

  // Write text.
  void line(std::string_view content);
  void open(std::string_view content);    ///< writes a line, then indents
  void close(std::string_view content);   ///< unindents, then writes a line
  void reopen(std::string_view content);  ///< writes "} else {"
  [[nodiscard]] std::string cpp(const ir::Expr& expr) const {
    return greenmarl::cpp(procedure_, here_, expr);
  }
  [[nodiscard]] const std::string& value(ir::SymbolId symbol) const {
    return here_.values.at(symbol);
  }
  [[nodiscard]] const std::string& object(ir::SymbolId symbol) const {
    return here_.objects.at(symbol);
  }
  [[nodiscard]] std::string index(ir::SymbolId node, bool checked, Position at) const {
    return cpp_index(procedure_, here_, node, checked, at);
  }
  [[nodiscard]] std::string collection(ir::Place place, bool checked, Position at) const {
    return cpp_collection(procedure_, here_, place, checked, at);
  }

  const ir::Procedure& procedure_;
  const ir::Effects effects_;
  Environment here_;
  std::vector<Environment> around_chunks_;
  NameScopes names_;
  std::string text_;
  std::size_t indent_ = 0;
  const ir::Stmt* last_ = nullptr;  ///< the function's last statement
  int labels_ = 0;
};

}  // namespace Atoll::greenmarl
