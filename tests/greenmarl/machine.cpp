#include "machine.hpp"

#include <algorithm>

namespace Atoll::greenmarl::oracle {
namespace {

using Kind = ast::TypeName::Kind;

bool is_property(const Type& type) {
  return type.kind == Kind::node_prop || type.kind == Kind::edge_prop;
}

bool holds_collections(const Type& type) {
  return type.kind == Kind::collection || (is_property(type) && type.of[0].kind != Kind::value);
}

}  // namespace

World::World(const Graph& graph)
    : nodes(graph.nodes),
      edges(graph.edges),
      out(static_cast<std::size_t>(graph.nodes)),
      in(static_cast<std::size_t>(graph.nodes)) {
  for (std::size_t e = 0; e < edges.size(); ++e) {
    out[static_cast<std::size_t>(edges[e].first)].push_back(static_cast<Id>(e));
    in[static_cast<std::size_t>(edges[e].second)].push_back(static_cast<Id>(e));
  }
}

Handle Machine::variable(const std::string& name) {
  auto& scopes = call().scopes;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (const auto found = scope->variables.find(name); found != scope->variables.end())
      return found->second;
  return nullptr;
}

Handle Machine::property(const std::string& name) {
  auto& scopes = call().scopes;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (const auto found = scope->properties.find(name); found != scope->properties.end())
      return found->second;
  return nullptr;
}

void Machine::declare(const std::string& name, Handle object) {
  Scope& scope = call().scopes.back();
  (is_property(object->type) ? scope.properties : scope.variables)[name] = std::move(object);
}

/// Resolves a type. If it names no graph, it belongs to the graph of the surrounding type,
/// `around`.
Type Machine::type_of(const ast::TypeName& written, const World* around) {
  Type type;
  type.kind = written.kind;
  type.value = written.value;
  const bool of_graph = written.kind != Kind::graph && written.kind != Kind::map &&
                        (written.kind != Kind::value || is_element(written.value));
  if (!written.graph.text.empty()) {
    type.world = variable(written.graph.text)->type.world;
  } else if (of_graph && around != nullptr) {
    type.world = around;
  } else if (of_graph) {  // the program has only one graph
    for (const Scope& scope : call().scopes)
      for (const auto& [name, object] : scope.variables)
        if (object->type.kind == Kind::graph) type.world = object->type.world;
  }
  for (const ast::TypeName& part : written.of) type.of.push_back(type_of(part, type.world));
  if (written.kind == Kind::collection && written.graph.text.empty()) type.world = type.of[0].world;
  return type;
}

Handle Machine::make(const Type& type) const {
  auto object = std::make_shared<Object>();
  object->type = type;
  object->value = nothing(type.value);
  if (is_property(type)) {
    const auto count = type.kind == Kind::node_prop ? static_cast<std::size_t>(type.world->nodes)
                                                    : type.world->edges.size();
    if (type.of[0].kind == Kind::value)
      object->values.assign(count, nothing(type.of[0].value));
    else
      for (std::size_t i = 0; i < count; ++i) object->held.push_back(make(type.of[0]));
  }
  return object;
}

void Machine::step() {
  if (++steps_ > limits_.steps) throw TooLong();
}

Outputs Machine::run(const ast::Procedure& procedure, const std::vector<const World*>& worlds,
                     const Inputs& inputs) {
  calls_.emplace_back().scopes.emplace_back();
  std::vector<std::pair<const ast::Parameter*, bool>> parameters;
  for (const ast::Parameter& parameter : procedure.inputs)
    parameters.emplace_back(&parameter, false);
  for (const ast::Parameter& parameter : procedure.outputs)
    parameters.emplace_back(&parameter, true);
  std::size_t graphs = 0;
  for (const auto& [parameter, output] : parameters) {
    if (parameter->type.kind != Kind::graph) continue;
    Type type;
    type.kind = Kind::graph;
    type.world = worlds.at(graphs++);
    declare(parameter->name.text, make(type));
  }
  std::vector<Handle> objects;
  const auto given = [](const auto& all, const std::string& name, auto& target) {
    if (const auto found = all.find(name); found != all.end()) target = found->second;
  };
  for (const auto& [parameter, output] : parameters) {
    const std::string& name = parameter->name.text;
    const Type type = type_of(parameter->type);
    const Handle object = type.kind == Kind::graph ? variable(name) : make(type);
    objects.push_back(object);
    if (type.kind == Kind::graph) continue;
    if (holds_collections(type)) {
      Many many;
      given(inputs.many, name, many);
      if (type.kind == Kind::collection)
        for (std::size_t k = 0; k < many.size(); ++k) object->held.push_back(make(type.of[0]));
      for (std::size_t k = 0; k < many.size(); ++k) object->held.at(k)->items = many[k];
    } else if (is_property(type)) {
      given(inputs.properties, name, object->values);
    } else if (type.kind == Kind::map) {
      if (const auto found = inputs.maps.find(name); found != inputs.maps.end())
        object->map.insert(found->second.begin(), found->second.end());
    } else if (type.kind == Kind::value) {
      if (!output) given(inputs.scalars, name, object->value);
    } else {
      given(inputs.collections, name, object->items);
    }
    declare(name, object);
  }
  if (procedure.returns) call().returns = type_of(*procedure.returns).value;
  block(procedure.body);

  Outputs outputs;
  outputs.returned = call().returned;
  outputs.random = drew_;
  outputs.loose = loose_;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters[i].first->name.text;
    const Object& object = *objects[i];
    if (object.type.kind == Kind::graph) continue;
    if (holds_collections(object.type))
      for (auto& many = outputs.many[name]; const Handle& one : object.held)
        many.push_back(one->items);
    else if (is_property(object.type))
      outputs.properties[name] = object.values;
    else if (object.type.kind == Kind::map)
      outputs.maps[name] = Entries(object.map.begin(), object.map.end());
    else if (object.type.kind != Kind::value)
      outputs.collections[name] = object.items;
    else if (parameters[i].second)
      outputs.scalars[name] = object.value;
  }
  return outputs;
}

Outputs interpret(const ast::Module& module, const std::vector<Graph>& graphs, const Inputs& inputs,
                  const std::string& procedure, const Limits& limits) {
  const auto chosen = std::ranges::find_if(module.procedures, [&](const ast::Procedure& one) {
    return procedure.empty() ? !one.local : one.name.text == procedure;
  });
  if (chosen == module.procedures.end()) throw std::logic_error("no such procedure");
  const std::vector<World> worlds(graphs.begin(), graphs.end());
  std::vector<const World*> pointers;
  for (const World& world : worlds) pointers.push_back(&world);
  return Machine(module, limits).run(*chosen, pointers, inputs);
}

}  // namespace Atoll::greenmarl::oracle
