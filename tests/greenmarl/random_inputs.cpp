// Random graphs, and inputs for procedures on them.
#include <algorithm>
#include <random>

#include "generator.hpp"

namespace Atoll::greenmarl::oracle {
namespace {

using Kind = ast::TypeName::Kind;

class Inputs_of {
 public:
  Inputs_of(const Graph& graph, std::uint64_t seed) : graph_(graph), random_(seed) {}

  /// Small numbers; halves and quarters, so that sums of real numbers are exact.
  Value value(ValueType type) {
    const auto some = [&](Id count) {
      return count == 0 || below(8) == 0 ? kNil : static_cast<Id>(below(count));
    };
    switch (type) {
      case ValueType::boolean:
        return boolean(below(2) == 0);
      case ValueType::node:
        return node(some(graph_.nodes));
      case ValueType::edge:
        return edge(some(static_cast<Id>(graph_.edges.size())));
      case ValueType::float32:
      case ValueType::float64:
        return real(type, static_cast<double>(below(41) - 20) / 4);
      default:
        return integer(type, below(25) - 8);
    }
  }

  std::vector<Id> items(Kind kind) {
    std::vector<Id> ids;
    for (Id count = graph_.nodes == 0 ? 0 : below(std::min<Id>(graph_.nodes, 40) + 1); count > 0;
         --count) {
      const Id id = below(graph_.nodes);
      if (kind == Kind::node_seq || std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    }
    if (kind == Kind::node_set) std::ranges::sort(ids);
    return ids;
  }

  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }

 private:
  const Graph& graph_;
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
    // Half of them near, so that there are cycles and common neighbours; the last nodes have none.
    const std::uint64_t from = random() % (nodes - 3);
    const std::uint64_t to =
        random() % 2 == 0 ? (from + random() % 4) % (nodes - 3) : random() % (nodes - 3);
    graph.edges.emplace_back(from, to);
  }
  std::ranges::sort(graph.edges);
  return graph;
}

Inputs random_inputs(const ast::Procedure& procedure, const Graph& graph, std::uint64_t seed) {
  Inputs_of random(graph, seed);
  Inputs inputs;
  for (const ast::Parameter& parameter : procedure.inputs) {
    const std::string& name = parameter.name.text;
    const ast::TypeName& type = parameter.type;
    switch (type.kind) {
      case Kind::value:
        inputs.scalars[name] = random.value(type.value);
        break;
      case Kind::node_prop:
      case Kind::edge_prop: {
        const auto count = type.kind == Kind::node_prop ? static_cast<std::size_t>(graph.nodes)
                                                        : graph.edges.size();
        for (std::size_t i = 0; i < count; ++i)
          inputs.properties[name].push_back(random.value(type.of[0].value));
        break;
      }
      case Kind::map: {
        std::map<Value, Value> map;
        for (std::int64_t i = random.below(6); i > 0; --i)
          map.try_emplace(random.value(type.of[0].value), random.value(type.of[1].value));
        inputs.maps[name] = Entries(map.begin(), map.end());
        break;
      }
      case Kind::graph:
        break;
      default:
        inputs.collections[name] = random.items(type.kind);
    }
  }
  return inputs;
}

bool has_one_answer(const ast::Module& module, std::uint64_t seed) {
  for (const int kind : {1, 2}) {
    const Graph graph = random_graph(kind);
    try {
      const Inputs inputs = random_inputs(module.procedures.back(), graph, seed);
      if (interpret(module, graph, inputs, "", {.steps = 300'000}).loose) return false;
    } catch (const Stop&) {
      return false;
    } catch (const TooLong&) {
      return false;
    }
  }
  return true;
}

}  // namespace Atoll::greenmarl::oracle
