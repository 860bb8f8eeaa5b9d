// The class behind emit_function(): statements in one file, loops over nodes in another. Outside of
// such loops an element is reached through its Array; a loop takes raw pointers at its start.
// Arrays that a loop writes are read there through the same pointer, and brought to their other
// copies afterwards, so that every layout gives the same answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "greenmarl/emit_expression.hpp"
#include "greenmarl/emit_names.hpp"
#include "greenmarl/loop_needs.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {

class FunctionEmitter {
 public:
  explicit FunctionEmitter(const ir::Procedure& procedure);
  std::string run(const std::string& name);

 private:
  // emit_function.cpp
  void prologue();
  void block(const std::vector<ir::Stmt>& statements);
  void statement(const ir::Stmt& stmt);
  void if_chain(const ir::Stmt& first);
  void declaration(const ir::Stmt& stmt);
  void write(const ir::Stmt& stmt);
  void while_loop(const ir::Stmt& stmt);
  void report_trips();
  void return_statement(const ir::Stmt& stmt);
  /// "target op= value;"
  static std::string combination(const std::string& target, AssignOp op, const std::string& value,
                                 Type type);

  // emit_loops.cpp
  void loop(const ir::Stmt& stmt);
  void plain_loop(const ir::Stmt& stmt);
  void take_pointers(const LoopNeeds& needs);
  void sync(const LoopNeeds& needs);
  void parallel_loop(const ir::Stmt& stmt);
  void open_chunk(const std::string& call, const std::string& identity);
  void close_chunk(const std::string& content);
  /// A variable that starts as a reduction's identity right before its loop is declared by the
  /// loop's result. Emits both, or returns false.
  bool declared_by_loop(const ir::Stmt& declaration, const ir::Stmt& loop);
  void reducing_loop(const ir::Stmt& stmt, const LoopNeeds& needs);
  void reduce_into(std::string_view qualifier, const std::string& result, const ir::Stmt& stmt,
                   const LoopNeeds& needs);
  void reducing_loop_of_several(const ir::Stmt& stmt, const LoopNeeds& needs);
  std::vector<std::string> chunk_body(const ir::Stmt& stmt, const LoopNeeds& needs);

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

  const ir::Procedure& procedure_;
  const ir::Effects effects_;
  Environment here_;
  Environment around_chunk_;
  NameScopes names_;
  std::string text_;
  std::size_t indent_ = 0;
  const ir::Stmt* last_ = nullptr;  ///< the function's last statement
};

}  // namespace Atoll::greenmarl
