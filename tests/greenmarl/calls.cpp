// Procedure calls of the interpreter. Graphs, properties, collections and maps are passed by
// reference.
#include <algorithm>

#include "machine.hpp"

namespace Atoll::greenmarl::oracle {

using Kind = ast::TypeName::Kind;

const ast::Procedure* Machine::find(const std::string& name) const {
  const auto found =
      std::ranges::find(module_.procedures, name,
                        [](const ast::Procedure& procedure) { return procedure.name.text; });
  return found == module_.procedures.end() ? nullptr : &*found;
}

std::optional<Value> Machine::procedure_call(const ast::Procedure& callee, const ast::Expr& expr) {
  std::vector<std::pair<const ast::Parameter*, bool>> parameters;
  for (const ast::Parameter& parameter : callee.inputs) parameters.emplace_back(&parameter, false);
  for (const ast::Parameter& parameter : callee.outputs) parameters.emplace_back(&parameter, true);

  Call inner;
  inner.scopes.emplace_back();
  const auto in_callee = [&](auto&& action) {
    calls_.push_back(std::move(inner));
    action();
    inner = std::move(calls_.back());
    calls_.pop_back();
  };
  // Graphs are bound first, because types refer to them.
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].first->type.kind == Kind::graph)
      inner.scopes[0].variables[parameters[i].first->name.text] = variable(expr.args[i].name.text);
  std::vector<std::pair<Handle, const ast::Expr*>> outputs;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& [parameter, output] = parameters[i];
    const ast::Expr& arg = expr.args[i];
    if (parameter->type.kind == Kind::graph) continue;
    Type type;
    in_callee([&] { type = type_of(parameter->type); });
    Handle object;
    if (type.kind == Kind::value) {
      object = make(type);
      if (output)
        outputs.emplace_back(object, &arg);
      else
        object->value = evaluate(arg, type.value);
    } else if (type.kind == Kind::node_prop || type.kind == Kind::edge_prop) {
      object = property(arg.name.text);
    } else {
      object = collection(arg);
    }
    in_callee([&] { declare(parameter->name.text, object); });
  }

  std::optional<Value> returned;
  in_callee([&] {
    if (callee.returns) call().returns = callee.returns->value;
    block(callee.body);
    returned = call().returned;
  });
  for (const auto& [object, target] : outputs) {
    if (target->kind == ast::ExprKind::field) {
      const Handle to = property(target->name.text);
      store(to, element(target->args[0]),
            assigned(object->value, to->type.of[0].value, target->at));
    } else {
      const Handle to = variable(target->name.text);
      store(to, std::nullopt, assigned(object->value, to->type.value, target->at));
    }
  }
  return returned;
}

}  // namespace Atoll::greenmarl::oracle
