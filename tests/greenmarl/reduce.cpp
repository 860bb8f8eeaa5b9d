#include "reduce.hpp"

namespace Atoll::greenmarl::oracle {
namespace {

using ast::Expr;
using ast::Stmt;

class Reducer {
 public:
  Reducer(ast::Module module, const std::function<bool(const ast::Module&)>& shows)
      : module_(std::move(module)), shows_(shows) {}

  ast::Module run() {
    do {
      smaller_ = false;
      for (std::size_t i = 0; i + 1 < module_.procedures.size();)
        if (!without(module_.procedures, i)) ++i;
      for (ast::Procedure& procedure : module_.procedures) {
        statements(procedure.body);
        for (auto* parameters : {&procedure.inputs, &procedure.outputs})
          for (std::size_t i = 0; i < parameters->size();)
            if (!without(*parameters, i)) ++i;
      }
    } while (smaller_);
    return std::move(module_);
  }

 private:
  bool still() {
    if (!shows_(module_)) return false;
    smaller_ = true;
    return true;
  }

  template <class T>
  bool without(std::vector<T>& list, std::size_t i) {
    std::vector<T> before = list;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    if (still()) return true;
    list = std::move(before);
    return false;
  }

  void statements(std::vector<Stmt>& list) {
    for (std::size_t i = 0; i < list.size();) {
      if (without(list, i)) continue;
      if (flattened(list, i)) continue;
      for (auto* exprs : {&list[i].navigator, &list[i].condition, &list[i].other_condition})
        if (!exprs->empty() && list[i].kind != ast::StmtKind::if_ &&
            list[i].kind != ast::StmtKind::while_ && list[i].kind != ast::StmtKind::do_while)
          without(*exprs, 0);
      for (auto* exprs : {&list[i].navigator, &list[i].condition, &list[i].other_condition,
                          &list[i].values, &list[i].root})
        for (Expr& expr : *exprs) expression(expr);
      if (list[i].has_otherwise && list[i].otherwise.empty()) {
        list[i].has_otherwise = false;
        if (!still()) list[i].has_otherwise = true;
      }
      statements(list[i].body);
      statements(list[i].otherwise);
      ++i;
    }
  }

  /// Tries to replace the statement by its body. Returns true if the program still shows the fault.
  bool flattened(std::vector<Stmt>& list, std::size_t i) {
    if (list[i].body.empty()) return false;
    const std::vector<Stmt> before = list;
    const std::vector<Stmt> body = list[i].body;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(i), body.begin(), body.end());
    if (still()) return true;
    list = before;
    return false;
  }

  /// Tries to replace an expression by one of its operands or by a literal.
  void expression(Expr& expr) {
    for (bool again = true; again;) {
      again = false;
      std::vector<Expr> others = expr.args;
      for (const char* literal : {"0", "1"}) {
        Expr number;
        number.kind = ast::ExprKind::integer;
        number.name.text = literal;
        if (expr.kind != ast::ExprKind::integer && expr.kind != ast::ExprKind::boolean)
          others.push_back(number);
      }
      for (const char* literal : {"True", "False"}) {
        Expr truth;
        truth.kind = ast::ExprKind::boolean;
        truth.name.text = literal;
        if (expr.kind != ast::ExprKind::integer && expr.kind != ast::ExprKind::boolean)
          others.push_back(truth);
      }
      for (const Expr& other : others) {
        const Expr before = expr;
        const Expr now = other;
        expr = now;
        if (still()) {
          again = true;
          break;
        }
        expr = before;
      }
    }
    if (!expr.filter.empty() && expr.reduction != Reduction::count) without(expr.filter, 0);
    for (Expr& arg : expr.args) expression(arg);
    for (Expr& filter : expr.filter) expression(filter);
  }

  ast::Module module_;
  const std::function<bool(const ast::Module&)>& shows_;
  bool smaller_ = false;
};

}  // namespace

ast::Module reduced(ast::Module module, const std::function<bool(const ast::Module&)>& shows) {
  return Reducer(std::move(module), shows).run();
}

}  // namespace Atoll::greenmarl::oracle
