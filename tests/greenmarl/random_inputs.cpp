// Random graphs, and random inputs for procedures.
#include <algorithm>
#include <random>

#include "generator.hpp"

namespace Atoll::greenmarl::oracle {
namespace {

using Kind = ast::TypeName::Kind;

class Inputs_of {
 public:
  explicit Inputs_of(std::uint64_t seed) : random_(seed) {}

  /// Returns small numbers, real ones in quarters, so that sums are exact.
  Value value(ValueType type, const Graph& graph) {
    const auto some = [&](Id count) {
      return count == 0 || below(8) == 0 ? kNil : static_cast<Id>(below(count));
    };
    switch (type) {
      case ValueType::boolean:
        return boolean(below(2) == 0);
      case ValueType::node:
        return node(some(graph.nodes));
      case ValueType::edge:
        return edge(some(static_cast<Id>(graph.edges.size())));
      case ValueType::float32:
      case ValueType::float64:
        return real(type, static_cast<double>(below(41) - 20) / 4);
      default:
        return integer(type, below(25) - 8);
    }
  }

  std::vector<Id> items(Kind kind, const Graph& graph, Id most) {
    std::vector<Id> ids;
    for (Id count = graph.nodes == 0 ? 0 : below(std::min<Id>(graph.nodes, most) + 1); count > 0;
         --count) {
      const Id id = below(graph.nodes);
      if (kind == Kind::node_seq || std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    }
    if (kind == Kind::node_set) std::ranges::sort(ids);
    return ids;
  }

  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace

Graph random_graph(int kind) {
  if (kind == 0) return {};
  if (kind == 1)
    return {
        7,
        {{0, 1}, {0, 2}, {0, 2}, {1, 2}, {1, 3}, {2, 0}, {2, 3}, {3, 3}, {3, 4}, {4, 1}, {4, 3}}};
  std::mt19937_64 random(17);
  Graph graph{kind == 2 ? 30 : 2500, {}};
  const auto nodes = static_cast<std::uint64_t>(graph.nodes);
  for (std::uint64_t e = 0; e < nodes * 5 / 2; ++e) {
    // Half of the edges are to near nodes, so that there are cycles and common neighbours. The last
    // nodes have no edges.
    const std::uint64_t from = random() % (nodes - 3);
    const std::uint64_t to =
        random() % 2 == 0 ? (from + random() % 4) % (nodes - 3) : random() % (nodes - 3);
    graph.edges.emplace_back(from, to);
  }
  std::ranges::sort(graph.edges);
  return graph;
}

std::vector<Graph> random_graphs(const ast::Procedure& procedure, int kind) {
  static const std::vector<Graph> all = {random_graph(0), random_graph(1), random_graph(2),
                                         random_graph(3)};
  std::vector<Graph> graphs;
  for (const ast::Parameter& parameter : procedure.inputs) {
    if (parameter.type.kind != Kind::graph) continue;
    graphs.push_back(all.at(static_cast<std::size_t>(kind)));
    kind = std::vector{1, 2, 1, 0}[static_cast<std::size_t>(kind)];
  }
  return graphs;
}

Inputs random_inputs(const ast::Procedure& procedure, const std::vector<Graph>& graphs,
                     std::uint64_t seed) {
  std::map<std::string, const Graph*> by_name;
  for (const ast::Parameter& parameter : procedure.inputs)
    if (parameter.type.kind == Kind::graph)
      by_name[parameter.name.text] = &graphs.at(by_name.size());
  static const Graph none;
  const Graph* const first = graphs.empty() ? &none : graphs.data();
  const auto graph_of = [&](const ast::TypeName& type, const Graph* around) {
    return type.graph.text.empty() ? around : by_name.at(type.graph.text);
  };
  Inputs_of random(seed);
  Inputs inputs;
  for (const ast::Parameter& parameter : procedure.inputs) {
    const std::string& name = parameter.name.text;
    const ast::TypeName& type = parameter.type;
    if (type.kind == Kind::graph) continue;
    const Graph* const graph = graph_of(type, first);
    const auto value_of = [&](const ast::TypeName& part, const Graph* around) {
      return random.value(part.value, *graph_of(part, around));
    };
    switch (type.kind) {
      case Kind::value:
        inputs.scalars[name] = value_of(type, graph);
        break;
      case Kind::collection:
        for (std::int64_t i = random.below(4); i > 0; --i)
          inputs.many[name].push_back(
              random.items(type.of[0].kind, *graph_of(type.of[0], graph), 6));
        break;
      case Kind::node_prop:
      case Kind::edge_prop: {
        const auto count = type.kind == Kind::node_prop ? static_cast<std::size_t>(graph->nodes)
                                                        : graph->edges.size();
        for (std::size_t i = 0; i < count; ++i)
          if (type.of[0].kind == Kind::value)
            inputs.properties[name].push_back(value_of(type.of[0], graph));
          else
            inputs.many[name].push_back(
                random.items(type.of[0].kind, *graph_of(type.of[0], graph), 3));
        break;
      }
      case Kind::map: {
        std::map<Value, Value> map;
        for (std::int64_t i = random.below(6); i > 0; --i) {
          const Value key = value_of(type.of[0], first);
          map.try_emplace(key, value_of(type.of[1], first));
        }
        inputs.maps[name] = Entries(map.begin(), map.end());
        break;
      }
      default:
        inputs.collections[name] = random.items(type.kind, *graph, 40);
    }
  }
  return inputs;
}

bool has_one_answer(const ast::Module& module, std::uint64_t seed) {
  for (const int kind : {1, 2}) {
    const std::vector<Graph> graphs = random_graphs(module.procedures.back(), kind);
    try {
      const Inputs inputs = random_inputs(module.procedures.back(), graphs, seed);
      if (interpret(module, graphs, inputs, "", {.steps = 300'000}).loose) return false;
    } catch (const Stop&) {
      return false;
    } catch (const TooLong&) {
      return false;
    }
  }
  return true;
}

}  // namespace Atoll::greenmarl::oracle
