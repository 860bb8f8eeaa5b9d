// Implementation class of lower(). Procedures and declarations, statements, assignments, loops,
// calls and expressions have separate files.
#pragma once

#include <functional>
#include <optional>

#include "greenmarl/conversions.hpp"
#include "greenmarl/lower.hpp"
#include "greenmarl/scope.hpp"
#include "greenmarl/token.hpp"

namespace Atoll::greenmarl {

class Lowerer {
 public:
  Lowerer(const ast::Module& module, Diagnostics& diagnostics, const LowerOptions& options);
  ir::Procedure run(const ast::Procedure& procedure);

 private:
  using Statements = std::vector<ir::Stmt>;

  // lower.cpp: procedures and declarations
  void declare_parameter(const ast::Parameter& parameter, bool output);
  void begin_outputs();
  void check_outputs_are_assigned();
  [[nodiscard]] Type returned_type(const ast::Procedure& procedure);
  [[nodiscard]] Type type_of(const ast::TypeName& written);
  /// Returns the graph of a type: the named one, or the only one.
  [[nodiscard]] ir::SymbolId graph_of(const ast::TypeName& written);
  ir::SymbolId declare(const ast::Name& name, ir::Symbol::Kind kind, Type type);
  void declaration(const ast::Stmt& stmt);
  void value_declaration(const ast::Stmt& stmt, const Type& type);
  void property_declaration(const ast::Stmt& stmt, const Type& type);
  void collection_declaration(const ast::Stmt& stmt, const Type& type);

  // lower_statements.cpp
  /// Lowers statements in a new scope, into a separate list.
  Statements block(const std::vector<ast::Stmt>& statements);
  /// Lowers the statements one by one, and continues after mistakes.
  void statements(const std::vector<ast::Stmt>& statements);
  void statement(const ast::Stmt& stmt);
  void while_loop(const ast::Stmt& stmt);
  void return_statement(const ast::Stmt& stmt);
  void foreign_statement(const ast::Stmt& stmt);

  // lower_assignments.cpp
  void assignment(const ast::Stmt& stmt);
  void scalar_assignment(const ast::Stmt& stmt, ir::SymbolId symbol);
  void deferred_scalar(const ast::Stmt& stmt, ir::SymbolId symbol);
  void property_assignment(const ast::Stmt& stmt);
  void group_assignment(const ast::Stmt& stmt, ir::SymbolId source);
  void collection_assignment(const ast::Stmt& stmt, ir::Place target);
  void map_assignment(const ast::Stmt& stmt);
  void best_assignment(const ast::Stmt& stmt);
  struct OpenLoop;
  struct Deferred;
  /// Returns the deferred assignments of this loop, or of the traversal that it belongs to.
  Deferred& deferred_of(OpenLoop& loop);
  ir::SymbolId deferred_map(const ast::Stmt& stmt, ir::SymbolId map);
  /// Returns the loop of `@ it`. Checks that a reduction is bound to only one loop.
  OpenLoop& bound_of(const ast::Stmt& stmt, ir::SymbolId target);
  ir::Expr assigned_value(const ast::Stmt& stmt, const ast::Expr& value, const Type& type);
  void check_operator(const ast::Stmt& stmt, const Type& type);

  // lower_loops.cpp
  /// Lowers a loop without its body. Opens the loop's scope and context, which leave_loop() closes.
  ir::Stmt enter_loop(const ast::Header& header, bool unordered, Position at);
  void enter_range(const ast::Header& header, ir::Stmt& loop);
  /// Emits the loop with its deferred assignments.
  void leave_loop(ir::Stmt loop);
  /// Emits the deferred assignments, and the loop between their two parts if `runs`. A loop over a
  /// graph that the procedure declares doesn't run, because the graph is empty.
  void emit_around(ir::Stmt loop, Deferred deferred, bool runs);
  void loop(const ast::Stmt& stmt);
  void traversal(const ast::Stmt& stmt);
  void navigator(const ast::Stmt& stmt, ir::Stmt& traversal);
  Statements visit(const ast::Stmt& stmt, const ir::Stmt& traversal, bool forward);
  /// Returns `body`, inside an If if there is a filter.
  Statements filtered(const std::vector<ast::Expr>& filter,
                      const std::function<Statements()>& body);
  ir::Expr reduction(const ast::Expr& expr);
  ir::Expr average(ir::SymbolId total, ir::SymbolId counter, Position at);
  ir::Expr greatest_element(ir::SymbolId total, ir::SymbolId any, Position at);
  /// Makes the enclosing loops sequential, because they share data that a statement changes.
  void make_loops_serial();

  // lower_calls.cpp
  std::optional<ir::Expr> call(const ast::Expr& expr);
  std::optional<ir::Expr> method(const ast::Expr& expr);
  std::optional<ir::Expr> builtin_call(const BuiltinRow& row, ir::Place on, const ast::Expr& expr,
                                       std::size_t first_argument);
  ir::Expr builtin_argument(const BuiltinRow& row, Slot slot, ir::Place on, const ast::Expr& arg);
  Type builtin_type(const BuiltinRow& row, Slot slot, ir::Place on, const ast::Expr& expr);
  void check_not_recursive(const ast::Procedure& callee, Position at);
  ir::SymbolId alias_collection(ir::Place place, const ast::Name& name);
  std::optional<ir::Expr> procedure_call(const ast::Procedure& callee, const ast::Expr& expr);
  ir::Expr edge_of(const ast::Expr& iterator, Position at);

  // lower_expressions.cpp
  ir::Expr expression(const ast::Expr& expr);
  ir::Expr condition(const ast::Expr& expr);
  ir::Expr number(const ast::Expr& expr, bool negative = false);
  ir::Expr name(const ast::Expr& expr);
  ir::Expr field(const ast::Expr& expr);
  ir::Expr index(const ast::Expr& expr);
  ir::Expr unary(const ast::Expr& expr);
  ir::Expr binary(const ast::Expr& expr);
  ir::Expr logical(const ast::Expr& expr);
  ir::Expr conditional(const ast::Expr& expr);
  ir::Expr foreign(const ast::Expr& expr);
  /// Lowers operands in order. If an operand has side effects, earlier operands are evaluated
  /// before it.
  std::vector<ir::Expr> operands(const std::vector<ast::Expr>& exprs, std::size_t first = 0);
  ir::Expr kept(ir::Expr expr, std::string name);

  // lower_names.cpp
  /// Returns a variable's symbol. Reports an undeclared name once.
  ir::SymbolId variable(const ast::Name& name);
  /// Returns the symbol of a node or edge: an iterator, a variable, the current element in a group
  /// assignment, or a new variable that holds an expression's value.
  ir::SymbolId element(const ast::Expr& expr, std::string_view use);
  /// Reports x.Size without parentheses.
  void check_is_no_builtin(const ast::Name& name);
  /// Reports an undeclared property once.
  [[noreturn]] void refuse_property(const ast::Name& name, bool edge);
  /// Returns the property `element.name`, which must be at nodes or edges as `element` is.
  ir::SymbolId property_of(const ast::Name& name, ir::SymbolId element);
  /// Resolves a collection: a variable, an element of a property of collections, or one that is
  /// removed from a Collection.
  std::optional<ir::Place> collection(const ast::Expr& expr);
  std::optional<ir::Place> taken_collection(const ast::Expr& call);
  [[nodiscard]] bool may_be_nil(ir::SymbolId element) const {
    return result_[element].kind != ir::Symbol::Kind::iterator && !never_nil_.contains(element);
  }
  /// Returns the current element if `source` is the object of the current group assignment.
  [[nodiscard]] ir::SymbolId group_element(ir::SymbolId source) const {
    return group_source_ == source && source != ir::kNoSymbol ? group_ : ir::kNoSymbol;
  }

  // Used by all files.
  ir::SymbolId temporary(std::string name, Type type, Position at,
                         ir::Symbol::Kind kind = ir::Symbol::Kind::scalar);
  /// Calls `lowering`. If it throws Refused, closes the loops and traversals that it left open, so
  /// that the surrounding program is checked in the right context, and returns false.
  bool attempt(const std::function<void()>& lowering);
  /// Returns the statements that `lowering` emits.
  Statements captured(const std::function<void()>& lowering);
  void emit(ir::Stmt stmt) { out_->push_back(std::move(stmt)); }
  [[noreturn]] void error(Position at, std::string_view message, std::string_view way_out) {
    diagnostics_.fail(at, message, way_out);
  }

  /// Variables and maps that are assigned when a loop ends. `before` and `after` are the statements
  /// that this needs before and after the loop.
  struct Deferred {
    std::map<ir::SymbolId, ir::SymbolId> next;  ///< for each target, the symbol with the new value
    Statements before, after;
  };
  struct OpenLoop {
    ir::SymbolId iterator;
    std::string iterator_name;
    bool unordered = false;
    bool serial = false;
    Range range = Range::nodes;
    bool has_edge = false;     ///< the loop follows edges to its iterator
    bool incoming = false;     ///< … in-edges
    ir::SymbolId traversal{};  ///< the traversal whose nodes the loop visits
    Deferred deferred{};
  };
  struct OpenTraversal {
    ir::SymbolId symbol;
    bool transposed = false;
    bool breadth_first = true;
    Deferred deferred{};
  };
  /// The call whose body is being lowered.
  struct Call {
    const ast::Procedure* procedure = nullptr;
    ir::SymbolId result;    ///< variable for the called procedure's return value
    ir::SymbolId end;       ///< label at the end of the call; kNoSymbol: outermost procedure
    bool leaves = false;    ///< true if a Return jumps to `end`
    std::size_t loops = 0;  ///< the number of loops that enclose the call
    std::optional<Type> returns;
  };

  const ast::Module& module_;
  Diagnostics& diagnostics_;
  const LowerOptions options_;
  Scopes scopes_;
  ir::Procedure result_;
  Statements* out_ = nullptr;
  ir::SymbolId group_source_;  ///< the object of the current group assignment
  ir::SymbolId group_;         ///< … and its current element
  std::vector<OpenLoop> loops_;
  std::vector<OpenTraversal> traversals_;
  std::vector<Call> calls_;
  std::vector<ir::SymbolId> graphs_;  ///< graphs in scope
  std::set<std::string> reported_;    ///< undeclared names that were already reported
  std::set<ir::SymbolId> never_nil_;
  std::map<ir::SymbolId, ir::Place> aliases_;  ///< parameters that alias an element's collection
  int whiles_ = 0;                             ///< the number of enclosing While loops
  int trips_ = 0;                              ///< the number of While and Do loops so far
  std::size_t statements_ = 0;
  std::map<ir::SymbolId, ir::SymbolId> bounds_;  ///< for each target of a reduction: its iterator
};

}  // namespace Atoll::greenmarl
