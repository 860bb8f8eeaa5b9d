// A handwritten graph program that outputs its inputs: a property, scalar or map of each type.
// Tests loading, saving and printing. Its run time can be extended.
#include <cstdint>
#include <functional>
#include <string>

#include "atoll/program/collection_types.hpp"
#include "atoll/program/program.hpp"
#include "echo_maps.hpp"

namespace {

using Atoll::Formula, Atoll::Order, Atoll::ValueType;

struct Named {
  const char* name;
  ValueType type;
};
constexpr Named kTypes[] = {{"int", ValueType::int32},     {"long", ValueType::int64},
                            {"float", ValueType::float32}, {"double", ValueType::float64},
                            {"bool", ValueType::boolean},  {"node", ValueType::node},
                            {"edge", ValueType::edge}};

Atoll::Procedure describe() {
  Atoll::Procedure procedure{"echo", "echo.gm", {}, {}};
  for (const auto& [name, type] : kTypes) {
    procedure.arguments.push_back({name, type});
    procedure.arguments.push_back({std::string("out_") + name, type, true});
  }
  procedure.arguments.push_back({"spin", ValueType::int32});
  procedure.arguments.push_back({"unset", ValueType::node, true});
  procedure.returns = ValueType::int64;
  procedure.arrays.push_back(
      {.name = "begin",
       .type = ValueType::edge,
       .pattern = {.elements = Formula::of({{1, {}}, {1, {"N"}}}),
                   .graph_own = true,
                   .accesses = {{false, Order::near, Formula::of({{2, {"N"}}})}}}});
  for (const bool edges : {false, true})
    for (const auto& [name, type] : kTypes)
      procedure.arrays.push_back({.name = (edges ? "e_" : "n_") + std::string(name),
                                  .type = type,
                                  .pattern = {.elements = Formula::of({{1, {edges ? "E" : "N"}}})},
                                  .result = true,
                                  .input = true,
                                  .edges = edges});
  for (const auto kind :
       {Atoll::CollectionKind::set, Atoll::CollectionKind::order, Atoll::CollectionKind::sequence})
    procedure.collections.push_back(
        {.name = std::string(to_string(kind)), .kind = kind, .input = true, .result = true});
  for (const auto& [key, key_type] : kTypes)
    for (const auto& [value, value_type] : kTypes)
      procedure.collections.push_back({.name = std::string(key) + "_" + value,
                                       .kind = Atoll::CollectionKind::map,
                                       .key = key_type,
                                       .value = value_type,
                                       .input = true,
                                       .result = true});
  procedure.collections.push_back({.name = "sum",
                                   .kind = Atoll::CollectionKind::map,
                                   .key = ValueType::node,
                                   .value = ValueType::int64,
                                   .result = true});
  procedure.arrays.push_back(
      {.name = "degree",
       .type = ValueType::int32,
       .pattern = {.elements = Formula::of({{1, {"N"}}}),
                   .accesses = {{true, Order::own, Formula::of({{1, {"N"}}})}}},
       .result = true});
  return procedure;
}

template <class Node, class Edge>
void echo(Atoll::program::Run<Node, Edge>& run) {
  for (const auto& [name, type] : kTypes) {
    const std::string output = std::string("out_") + name;
    if (type == ValueType::float32 || type == ValueType::float64)
      run.output(output, run.template argument<double>(name));
    else
      run.output(output, run.template argument<std::int64_t>(name));
  }
  auto& degree = run.template array<std::int32_t>("degree");
  Atoll::for_each(run.team(), run.nodes(), run.schedule(), [&](std::size_t node) {
    const auto begin = run.begin.local();
    degree.set_in_all_copies(node, static_cast<std::int32_t>(begin[node + 1] - begin[node]));
  });
  auto& sum = run.template collection<Atoll::graph::Map<Node, std::int64_t>>("sum");
  for (const Node node :
       run.template collection<Atoll::graph::NodeSequence<Node>>("Node_Seq").items())
    sum.combine_sum(node, 1);
  const int spin = run.template argument<std::int32_t>("spin");
  volatile std::int64_t turns = 0;
  while (spin == 1) turns = turns + 1;
  while (spin == 2) Atoll::for_each(run.team(), 1'000'000, run.schedule(), [&](std::size_t) {});
  run.returns(static_cast<std::int64_t>(run.seed()));
}

template <class Node, class Edge>
void add_types(Atoll::program::CollectionTypes& types) {
  types.add<Atoll::graph::NodeSet<Node>>("Node_Set");
  types.add<Atoll::graph::NodeOrder<Node>>("Node_Order");
  types.add<Atoll::graph::NodeSequence<Node>>("Node_Seq");
  types.add<Atoll::graph::Map<Node, std::int64_t>>("sum");
  add_maps_of_numbers<Node, Edge>(types);
  add_maps<Node, Edge, Node>(types, "node");
  add_maps<Node, Edge, Edge>(types, "edge");
}

}  // namespace

int main(int argc, char** argv) {
  return Atoll::program::main(argc, argv, describe(),
                              Atoll::program::Entry::of([](auto& run) { echo(run); },
                                                        []<class Node, class Edge>(auto& types) {
                                                          add_types<Node, Edge>(types);
                                                        }));
}
