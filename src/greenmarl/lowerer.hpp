// The class behind lower(): expressions in one file, statements in another.
#pragma once

#include <functional>
#include <optional>

#include "greenmarl/scope.hpp"
#include "greenmarl/types.hpp"

namespace Atoll::greenmarl {

class Lowerer {
 public:
  explicit Lowerer(const Source& source);
  ir::Procedure run(const ast::Procedure& procedure);

 private:
  using Statements = std::vector<ir::Stmt>;

  // lower.cpp: declarations and statements
  void declare_input(const ast::Parameter& parameter);
  void declare_output(const ast::Parameter& parameter);
  void check_graph(const ast::Name& name) const;
  ir::SymbolId declare_property(const ast::Name& name, Type type, const ast::Name& graph,
                                bool result);
  void check_outputs_are_assigned() const;
  /// Lowers statements in a scope of their own, into a list of their own.
  Statements block(const std::vector<ast::Stmt>& statements);
  void statement(const ast::Stmt& stmt);
  void declaration(const ast::Stmt& stmt);
  void property_declaration(const ast::Stmt& stmt);
  void assignment(const ast::Stmt& stmt);
  void scalar_assignment(const ast::Stmt& stmt);
  void property_assignment(const ast::Stmt& stmt);
  void group_assignment(const ast::Stmt& stmt);
  ir::SymbolId bound_of(const ast::Stmt& stmt, ir::SymbolId target);
  ir::Expr assigned_value(const ast::Stmt& stmt, Type type);
  void loop(const ast::Stmt& stmt);
  void while_loop(const ast::Stmt& stmt);
  void return_statement(const ast::Stmt& stmt);

  // lower_expressions.cpp
  ir::Expr expression(const ast::Expr& expr);
  ir::Expr condition(const ast::Expr& expr);
  ir::Expr number(const ast::Expr& expr);
  ir::Expr name(const ast::Expr& expr);
  ir::Expr field(const ast::Expr& expr);
  ir::Expr call(const ast::Expr& expr);
  ir::Expr unary(const ast::Expr& expr);
  ir::Expr binary(const ast::Expr& expr);
  ir::Expr logical(const ast::Expr& expr);
  ir::Expr conditional(const ast::Expr& expr);
  ir::Expr reduction(const ast::Expr& expr);
  ir::SymbolId property_of(const ast::Name& name) const;
  /// The node that a name stands for: an iterator, a Node variable, or, in a group assignment, the
  /// graph.
  ir::SymbolId node_of(const ast::Name& name, std::string_view use) const;

  // Both.
  /// Lowers a loop without its body; opens its scope and context, which leave_loop() closes.
  ir::Stmt enter_loop(const ast::Header& header, bool unordered, Position at);
  void leave_loop();
  ir::SymbolId temporary(std::string name, Type type, Position at,
                         ir::Symbol::Kind kind = ir::Symbol::Kind::scalar);
  /// Returns what `lowering` emits, as a list of its own.
  Statements captured(const std::function<void()>& lowering);
  void emit(ir::Stmt stmt) { out_->push_back(std::move(stmt)); }
  [[noreturn]] void error(Position at, std::string_view message, std::string_view way_out) const {
    fail(source_, at, message, way_out);
  }

  struct OpenLoop {
    ir::SymbolId iterator;
    std::string iterator_name;
    bool unordered;
    bool parallel;
  };

  const Source& source_;
  Scopes scopes_;
  ir::Procedure result_;
  Statements* out_ = nullptr;
  ir::SymbolId group_;  ///< the iterator of the enclosing group assignment, if any
  std::vector<OpenLoop> loops_;
  int whiles_ = 0;  ///< the number of While loops around this statement
  int trips_ = 0;   ///< the number of While and Do loops so far
  std::map<ir::SymbolId, ir::SymbolId> bounds_;  ///< for reductions: target → iterator
};

}  // namespace Atoll::greenmarl
