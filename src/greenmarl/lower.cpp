// Lowers procedures and declarations.
#include "greenmarl/lower.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "greenmarl/effects.hpp"
#include "greenmarl/lowerer.hpp"
#include "greenmarl/mark_parallel.hpp"
#include "greenmarl/nil_checks.hpp"

namespace Atoll::greenmarl {
namespace {

/// True if every path through the statements ends with Return.
bool always_returns(const std::vector<ast::Stmt>& statements) {
  return std::ranges::any_of(statements, [](const ast::Stmt& stmt) {
    switch (stmt.kind) {
      case ast::StmtKind::return_:
        return true;
      case ast::StmtKind::block:
      case ast::StmtKind::do_while:
        return always_returns(stmt.body);
      case ast::StmtKind::if_:
        return always_returns(stmt.body) && always_returns(stmt.otherwise);
      default:
        return false;
    }
  });
}

ir::Symbol::Kind kind_of(const Type& type) {
  switch (type.shape) {
    case Shape::value:
      return ir::Symbol::Kind::scalar;
    case Shape::property:
      return ir::Symbol::Kind::property;
    case Shape::collection:
      return ir::Symbol::Kind::collection;
    case Shape::map:
      return ir::Symbol::Kind::map;
    case Shape::graph:
      return ir::Symbol::Kind::graph;
  }
  return ir::Symbol::Kind::scalar;
}

/// Returns the element type of a property or Collection. Its graph defaults to that of the property
/// or Collection.
ast::TypeName part_of(const ast::TypeName& written) {
  ast::TypeName part = written.of[0];
  if (part.graph.text.empty()) part.graph = written.graph;
  return part;
}

}  // namespace

ir::Procedure lower(const ast::Module& module, const ast::Procedure& procedure,
                    Diagnostics& diagnostics, const LowerOptions& options) {
  return Lowerer(module, diagnostics, options).run(procedure);
}

Lowerer::Lowerer(const ast::Module& module, Diagnostics& diagnostics, const LowerOptions& options)
    : module_(module), diagnostics_(diagnostics), options_(options) {
  result_.source = &diagnostics.source();
}

ir::Procedure Lowerer::run(const ast::Procedure& procedure) {
  result_.name = procedure.name.text;
  result_.at = procedure.name.at;
  out_ = &result_.body;
  calls_.push_back({.procedure = &procedure, .result = {}, .end = {}, .returns = {}});
  scopes_.open();
  // Graphs first, since other types refer to them.
  for (const bool graphs : {true, false}) {
    for (const ast::Parameter& parameter : procedure.inputs)
      if ((parameter.type.kind == ast::TypeName::Kind::graph) == graphs)
        declare_parameter(parameter, false);
    for (const ast::Parameter& parameter : procedure.outputs)
      if ((parameter.type.kind == ast::TypeName::Kind::graph) == graphs)
        declare_parameter(parameter, true);
  }
  try {
    if (procedure.returns) result_.returns = returned_type(procedure);
  } catch (const MistakeReported&) {
    return std::move(result_);  // each Return would cause a further error
  }
  calls_.back().returns = result_.returns;
  begin_outputs();
  for (ir::Stmt& stmt : block(procedure.body)) emit(std::move(stmt));
  scopes_.close();
  if (procedure.returns && !always_returns(procedure.body))
    diagnostics_.error(procedure.name.at, fmt::format("'{}' can end without Return", result_.name),
                       fmt::format("return {} at its end", with_article(*result_.returns)));
  check_outputs_are_assigned();
  mark_parallel_loops(result_);
  drop_needless_nil_checks(result_);
  return std::move(result_);
}

void Lowerer::declare_parameter(const ast::Parameter& parameter, bool output) try {
  const Type type = type_of(parameter.type);
  if (type.shape == Shape::graph && output)
    error(parameter.name.at, "a graph can't be an output", "take it before the ';'");
  const ir::SymbolId id = declare(parameter.name, kind_of(type), type);
  ir::Symbol& symbol = result_[id];
  symbol.argument = !output;
  symbol.result = output;
  switch (symbol.kind) {
    case ir::Symbol::Kind::graph:
      result_.graphs.push_back(id);
      return;
    case ir::Symbol::Kind::property:
      (element_type(symbol).shape == Shape::value ? result_.properties : result_.collections)
          .push_back(id);
      return;
    case ir::Symbol::Kind::collection:
    case ir::Symbol::Kind::map:
      result_.collections.push_back(id);
      return;
    default:
      (output ? result_.outputs : result_.arguments).push_back(id);
  }
} catch (const MistakeReported&) {
  reported_.insert(parameter.name.text);
}

/// Scalar outputs are initialised with zero.
void Lowerer::begin_outputs() {
  for (const ir::SymbolId id : result_.outputs) emit(ir::declare(id, result_[id].at));
}

void Lowerer::check_outputs_are_assigned() {
  if (diagnostics_.failed()) return;
  const ir::Effects effects = ir::effects_of(result_.body);
  for (std::uint32_t i = 0; i < result_.symbols.size(); ++i) {
    const ir::SymbolId id{i};
    const ir::Symbol& symbol = result_[id];
    if (!symbol.result) continue;
    if (!effects.writes(id) && !effects.assigned.contains(id) && !effects.foreign)
      diagnostics_.warning(symbol.at, fmt::format("the output '{}' is never assigned", symbol.name),
                           "assign it, or leave it out");
  }
}

Type Lowerer::returned_type(const ast::Procedure& procedure) {
  Type type = type_of(*procedure.returns);
  if (type.shape != Shape::value)
    error(procedure.returns->at, fmt::format("a procedure can't return {}", with_article(type)),
          "it returns a number, a Bool, a Node or an Edge; the rest are outputs, behind a ';'");
  return type;
}

ir::SymbolId Lowerer::graph_of(const ast::TypeName& written) {
  if (!written.graph.text.empty()) {
    const ir::SymbolId named = variable(written.graph);
    if (result_[named].kind != ir::Symbol::Kind::graph)
      error(written.graph.at, fmt::format("'{}' is no graph", written.graph.text),
            graphs_.empty() ? "take one: (G: Graph, …)"
                            : fmt::format("write {}", result_[graphs_[0]].name));
    return named;
  }
  if (graphs_.empty())
    error(written.at, fmt::format("there is no graph that this {} is of", ast::print(written)),
          "take one: (G: Graph, …)");
  if (graphs_.size() > 1)
    error(written.at,
          fmt::format("there are several graphs that this {} may be of", ast::print(written)),
          fmt::format("write its graph behind it: {}({})", ast::print(written),
                      result_[graphs_[0]].name));
  return graphs_[0];
}

Type Lowerer::type_of(const ast::TypeName& written) {
  using Kind = ast::TypeName::Kind;
  Type type;
  switch (written.kind) {
    case Kind::value:
      type = written.value;
      if (type.is_element()) type.graph = graph_of(written);
      return type;
    case Kind::graph:
      type.shape = Shape::graph;
      return type;
    case Kind::node_prop:
    case Kind::edge_prop:
      type.shape = Shape::property;
      type.at_edges = written.kind == Kind::edge_prop;
      type.graph = graph_of(written);
      type.of.push_back(type_of(part_of(written)));
      if (type.of[0].shape != Shape::value && type.of[0].shape != Shape::collection)
        error(written.of[0].at, fmt::format("a property can't hold {}", with_article(type.of[0])),
              "it holds numbers, Bools, Nodes, Edges or sets");
      return type;
    case Kind::node_set:
    case Kind::node_order:
    case Kind::node_seq:
      type.shape = Shape::collection;
      type.collection = written.kind == Kind::node_set     ? CollectionShape::set
                        : written.kind == Kind::node_order ? CollectionShape::order
                                                           : CollectionShape::sequence;
      type.graph = graph_of(written);
      return type;
    case Kind::collection: {
      type.shape = Shape::collection;
      type.collection = CollectionShape::many;
      type.of.push_back(type_of(part_of(written)));
      if (type.of[0].shape != Shape::collection || type.of[0].is(CollectionShape::many))
        error(written.of[0].at, fmt::format("a Collection can't hold {}", with_article(type.of[0])),
              "it holds Node_Set, Node_Order or Node_Seq");
      type.graph = type.of[0].graph;
      return type;
    }
    case Kind::map:
      type.shape = Shape::map;
      for (const ast::TypeName& part : written.of) {
        type.of.push_back(type_of(part));
        if (type.of.back().shape != Shape::value)
          error(part.at, fmt::format("a Map can't hold {}", with_article(type.of.back())),
                "keys and values are numbers, Bools, Nodes or Edges");
      }
      return type;
  }
  throw InternalError("type");
}

ir::SymbolId Lowerer::temporary(std::string name, Type type, Position at, ir::Symbol::Kind kind) {
  ir::Symbol symbol{.name = std::move(name), .kind = kind, .type = std::move(type)};
  symbol.at = at;
  return result_.add(std::move(symbol));
}

ir::SymbolId Lowerer::declare(const ast::Name& name, ir::Symbol::Kind kind, Type type) {
  const ir::SymbolId id = temporary(name.text, std::move(type), name.at, kind);
  scopes_.declare(diagnostics_, name, id, kind == ir::Symbol::Kind::property);
  if (kind == ir::Symbol::Kind::graph) graphs_.push_back(id);
  return id;
}

void Lowerer::declaration(const ast::Stmt& stmt) {
  try {
    const Type type = type_of(stmt.type);
    switch (type.shape) {
      case Shape::value:
        return value_declaration(stmt, type);
      case Shape::property:
        return property_declaration(stmt, type);
      case Shape::collection:
      case Shape::map:
        return collection_declaration(stmt, type);
      case Shape::graph:
        for (const ast::Name& name : stmt.names)
          result_[declare(name, ir::Symbol::Kind::graph, type)].empty_graph = true;
        return;
    }
  } catch (const MistakeReported&) {
    for (const ast::Name& name : stmt.names)
      if (scopes_.variable(name.text) == ir::kNoSymbol &&
          scopes_.property(name.text) == ir::kNoSymbol)
        reported_.insert(name.text);
    throw;
  }
}

void Lowerer::value_declaration(const ast::Stmt& stmt, const Type& type) {
  std::vector<ir::Expr> value;
  attempt([&] {  // the names are declared even if this fails
    if (!stmt.values.empty())
      value.push_back(converted(diagnostics_, expression(stmt.values[0]), type,
                                fmt::format("'{}'", stmt.names[0].text)));
  });
  for (const ast::Name& name : stmt.names) {
    const ir::SymbolId symbol = declare(name, ir::Symbol::Kind::scalar, type);
    emit(ir::declare(symbol, name.at, value));
  }
}

void Lowerer::property_declaration(const ast::Stmt& stmt, const Type& type) {
  const bool repeated = whiles_ > 0 || !loops_.empty() || !traversals_.empty();
  if (!loops_.empty()) make_loops_serial();
  for (const ast::Name& name : stmt.names) {
    const ir::SymbolId property = declare(name, ir::Symbol::Kind::property, type);
    const Type& element = ir::element_type(result_[property]);
    if (element.shape == Shape::value) result_.properties.push_back(property);
    if (element.shape == Shape::collection || repeated) {
      // Arrays are initialised with zero; in a loop, in each iteration.
      std::vector<ir::Expr> zero;
      if (element.is_element())
        zero.push_back(ir::nil(element, name.at));
      else if (element.shape == Shape::value)
        zero.push_back(ir::identity(element.is(ValueType::boolean) ? AssignOp::any : AssignOp::sum,
                                    element, name.at));
      ir::Stmt declared = ir::declare(property, name.at, std::move(zero));
      declared.serial = true;
      emit(std::move(declared));
    }
  }
  if (stmt.values.empty()) return;
  for (const ast::Name& name : stmt.names) {
    ast::Expr graph;
    graph.at = name.at;
    graph.name = {result_[type.graph].name, name.at};
    ast::Stmt assign;
    assign.kind = ast::StmtKind::assign;
    assign.at = stmt.at;
    ast::Expr target;
    target.kind = ast::ExprKind::field;
    target.at = name.at;
    target.name = name;
    target.args.push_back(std::move(graph));
    assign.targets.push_back(std::move(target));
    assign.values = stmt.values;
    assignment(assign);
  }
}

void Lowerer::collection_declaration(const ast::Stmt& stmt, const Type& type) {
  for (const ast::Name& name : stmt.names) {
    const ir::SymbolId symbol = declare(
        name, type.shape == Shape::map ? ir::Symbol::Kind::map : ir::Symbol::Kind::collection,
        type);
    emit(ir::declare(symbol, name.at));
    if (stmt.values.empty()) continue;
    const auto from = collection(stmt.values[0]);
    if (!from || ir::element_type(result_[from->symbol]) != type)
      error(stmt.values[0].at, fmt::format("this can't be '{}', {}", name.text, with_article(type)),
            "name a collection of the same type and graph");
    ir::Stmt take;
    take.kind = ir::StmtKind::take;
    take.at = stmt.at;
    take.group = {{symbol}, *from};
    take.checked = from->node != ir::kNoSymbol && may_be_nil(from->node);
    emit(std::move(take));
  }
}

}  // namespace Atoll::greenmarl
