#include "compiled_run.hpp"

#include <fmt/format.h>

#include "../unit/fake_backend.hpp"
#include "program/placed_run.hpp"

namespace Atoll::greenmarl::oracle {
namespace {

using program::Scalar;

const Team& team_of(int threads) {
  static std::map<int, std::unique_ptr<Team>> teams;
  auto& team = teams[threads];
  if (!team) {
    ThreadPlaces places;
    for (int i = 0; i < threads; ++i)
      places.push_back({i % 4, NodeId{static_cast<std::uint32_t>(2 * i / threads)}});
    team = std::make_unique<Team>(std::move(places), Team::Runtime::std_threads, false);
  }
  return *team;
}

Layout layout_of(const Setting& setting) {
  const NodeId zero{0}, one{1};
  switch (setting.placed) {
    case Placed::replicated:
      return {Replicated{{zero, one}}, PageSize::small};
    case Placed::partitioned: {
      Partitioned parts;
      for (const ThreadPlace& place : team_of(setting.threads).places())
        parts.nodes.push_back(place.node);
      return {std::move(parts), PageSize::small};
    }
    case Placed::distributed:
      return {Distributed{{zero, one}}, PageSize::small};
  }
  return {};
}

template <class Node, class Edge>
class Compiled {
 public:
  Compiled(const Procedure& procedure, const program::Functions<Node, Edge>& functions,
           const std::vector<Graph>& graphs, const Inputs& inputs, const Setting& setting)
      : procedure_(procedure),
        functions_(functions),
        context_{machine(), team_of(setting.threads), backend()},
        graphs_(made(graphs, setting)),
        names_(graphs_.begin(), graphs_.end()),
        arrays_(decided(setting)),
        run_(context_, procedure, functions, arrays_, sizes(), names_, 1) {
    std::vector<std::pair<std::string, Scalar>> arguments;
    for (const Argument& argument : procedure.arguments)
      if (!argument.output)
        arguments.emplace_back(argument.name, to_scalar(inputs.scalars.contains(argument.name)
                                                            ? inputs.scalars.at(argument.name)
                                                            : nothing(argument.type)));
    run_.set_arguments(std::move(arguments));
    for (const ArrayUse& use : procedure.arrays) {
      if (!use.input || !inputs.properties.contains(use.name)) continue;
      const auto& values = inputs.properties.at(use.name);
      for (std::size_t i = 0; i < values.size(); ++i)
        run_.elements(use).set(i, to_scalar(values[i]));
      run_.sync(use);
    }
    for (const CollectionUse& use : procedure.collections) {
      if (!use.input) continue;
      if (use.place != CollectionPlace::alone) {
        fill(use, inputs);
        continue;
      }
      const program::Items items = run_.items(use);
      if (inputs.collections.contains(use.name))
        for (const Id id : inputs.collections.at(use.name)) items.add(Scalar(id), Scalar(id));
      if (inputs.maps.contains(use.name))
        for (const auto& [key, value] : inputs.maps.at(use.name))
          items.add(to_scalar(key), to_scalar(value));
    }
    for (std::size_t i = 0; i < graphs_.size(); ++i)
      run_.place_graph(context_, arrays_, static_cast<std::uint32_t>(i), graphs_[i], names_[i]);
  }

  Outputs run() {
    functions_.run(run_);
    Outputs outputs;
    if (const auto returned = run_.returned())
      outputs.returned = to_value(procedure_.returns.value(), *returned);
    for (const Argument& argument : procedure_.arguments)
      if (argument.output) {
        const auto value = run_.output(argument.name);
        outputs.scalars[argument.name] =
            value ? to_value(argument.type, *value) : nothing(argument.type);
      }
    for (const ArrayUse& use : procedure_.arrays) {
      if (!use.result && !use.input) continue;
      const program::Elements elements = run_.elements(use);
      auto& values = outputs.properties[use.name];
      for (std::uint64_t i = 0; i < elements.count; ++i)
        values.push_back(to_value(use.type, elements.get(i)));
    }
    for (const CollectionUse& use : procedure_.collections) {
      if (use.place != CollectionPlace::alone) {
        const program::ManyItems many = run_.many(use);
        for (std::uint64_t i = 0; i < many.count; ++i)
          many.at(i).visit(UINT64_MAX, [&](Scalar item, Scalar) {
            auto& all = outputs.many[use.name];
            all.resize(many.count);
            all[i].push_back(to_value(ValueType::node, item).integer);
          });
        outputs.many[use.name].resize(many.count);
        continue;
      }
      const bool map = use.kind == CollectionKind::map;
      if (map)
        outputs.maps[use.name] = {};
      else
        outputs.collections[use.name] = {};
      run_.items(use).visit(UINT64_MAX, [&](Scalar key, Scalar value) {
        if (map)
          outputs.maps[use.name].emplace_back(to_value(use.key, key), to_value(use.value, value));
        else
          outputs.collections[use.name].push_back(to_value(ValueType::node, key).integer);
      });
    }
    return outputs;
  }

 private:
  /// Fills the sets of a Collection or of a property.
  void fill(const CollectionUse& use, const Inputs& inputs) {
    if (!inputs.many.contains(use.name)) return;
    const program::ManyItems all = run_.many(use);
    std::uint64_t i = 0;
    for (const std::vector<Id>& ids : inputs.many.at(use.name)) {
      const program::Items one = use.place == CollectionPlace::listed ? all.append() : all.at(i++);
      for (const Id id : ids) one.add(Scalar(id), Scalar(id));
    }
  }
  [[nodiscard]] std::vector<graph::GraphSize> sizes() const {
    std::vector<graph::GraphSize> all;
    for (const graph::Graph& graph : graphs_) all.push_back(graph.size());
    return all;
  }
  static Machine& machine() {
    static Machine machine = memory::four_node_machine();
    return machine;
  }
  static memory::FakeBackend& backend() {
    static memory::FakeBackend backend(memory::four_nodes(1'000'000));
    return backend;
  }
  static std::vector<graph::Graph> made(const std::vector<Graph>& given, const Setting& setting) {
    std::vector<graph::Graph> graphs;
    for (const Graph& graph : given)
      graphs.push_back(graph::from_edges({graph.edges.begin(), graph.edges.end()}, team_of(1),
                                         {.deduplicate = false,
                                          .wide_ids = setting.wide,
                                          .min_nodes = static_cast<std::uint64_t>(graph.nodes)}));
    return graphs;
  }
  std::vector<program::DecidedArray> decided(const Setting& setting) const {
    Bindings bindings;
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
      const std::string of = i == 0 ? "" : "_" + procedure_.graphs.at(i);
      bindings["N" + of] = static_cast<double>(graphs_[i].nodes());
      bindings["E" + of] = static_cast<double>(graphs_[i].edges());
      bindings["deg" + of] = 1.0;
    }
    std::vector<program::DecidedArray> arrays;
    for (const ArrayUse& use : procedure_.arrays) {
      program::DecidedArray array{.use = &use};
      array.elements = static_cast<std::uint64_t>(use.pattern.elements.evaluate(bindings));
      array.element_bytes = program::element_bytes(use.type, program::widths_of(sizes()));
      array.choice.name = use.name;
      array.choice.allocated =
          array.elements > 0 && (use.pattern.used() || use.input || use.result);
      array.choice.layout = layout_of(setting);
      arrays.push_back(std::move(array));
    }
    // A partitioned array divides loops into fixed parts. Otherwise one thread would run the whole
    // loop, because it is so short.
    if (setting.threads == 4) {
      const Setting parts{Placed::partitioned, setting.threads, setting.wide};
      program::DecidedArray array{.use = &kOther, .elements = 4096, .element_bytes = 4};
      array.choice.layout = layout_of(parts);
      arrays.push_back(std::move(array));
    }
    return arrays;
  }

  static Scalar to_scalar(const Value& value) {
    if (is_real(value.type)) return value.real;
    if (is_element(value.type) && value.integer == kNil)
      return static_cast<std::int64_t>(value.type == ValueType::node ? static_cast<Node>(-1)
                                                                     : static_cast<Edge>(-1));
    return value.integer;
  }
  static Value to_value(ValueType type, Scalar scalar) {
    if (is_real(type)) return real(type, program::from_scalar<double>(scalar));
    const auto integer = program::from_scalar<std::int64_t>(scalar);
    const bool nil =
        (type == ValueType::node && static_cast<Node>(integer) == static_cast<Node>(-1)) ||
        (type == ValueType::edge && static_cast<Edge>(integer) == static_cast<Edge>(-1));
    return {type, nil ? kNil : integer, 0};
  }

  inline static const ArrayUse kOther{
      .name = "no property", .type = ValueType::int32, .pattern = {}};

  const Procedure& procedure_;
  const program::Functions<Node, Edge>& functions_;
  memory::Context context_;
  std::vector<graph::Graph> graphs_;
  std::vector<program::Names> names_;
  std::vector<program::DecidedArray> arrays_;
  program::PlacedRun<Node, Edge> run_;
};

std::string first_difference(const std::string& name, const std::vector<Value>& a,
                             const std::vector<Value>& b) {
  if (a.size() != b.size())
    return fmt::format("{} has {} elements, expected {}", name, b.size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i]))
      return fmt::format("{}[{}] is {}, expected {}", name, i, to_string(b[i]), to_string(a[i]));
  return "";
}

}  // namespace

std::string to_string(const Setting& setting) {
  const char* const names[] = {"replicated", "partitioned", "distributed"};
  return fmt::format("{}, {} thread{}, {}-bit ids", names[static_cast<int>(setting.placed)],
                     setting.threads, setting.threads == 1 ? "" : "s", setting.wide ? 64 : 32);
}

Outputs run_compiled(const Procedure& procedure, const program::Entry& entry,
                     const std::vector<Graph>& graphs, const Inputs& inputs,
                     const Setting& setting) {
  if (setting.wide)
    return Compiled<std::uint64_t, std::uint64_t>(procedure, entry.wide, graphs, inputs, setting)
        .run();
  return Compiled<std::uint32_t, std::uint32_t>(procedure, entry.narrow, graphs, inputs, setting)
      .run();
}

std::string difference(const Outputs& expected, const Outputs& got) {
  const auto scalar = [](const std::string& name, const std::optional<Value>& a,
                         const std::optional<Value>& b) {
    if (a == b) return std::string();
    return fmt::format("{} is {}, expected {}", name, b ? to_string(*b) : "missing",
                       a ? to_string(*a) : "nothing");
  };
  if (auto text = scalar("the returned value", expected.returned, got.returned); !text.empty())
    return text;
  for (const auto& [name, value] : got.scalars)
    if (auto text = scalar(name, expected.scalars.at(name), value); !text.empty()) return text;
  for (const auto& [name, values] : got.properties)
    if (auto text = first_difference(name, expected.properties.at(name), values); !text.empty())
      return text;
  const auto nodes = [](const std::vector<Id>& ids) {
    std::vector<Value> values;
    for (const Id id : ids) values.push_back(node(id));
    return values;
  };
  for (const auto& [name, ids] : got.collections)
    if (auto text = first_difference(name, nodes(expected.collections.at(name)), nodes(ids));
        !text.empty())
      return text;
  for (const auto& [name, many] : got.many) {
    const Many& wanted = expected.many.at(name);
    if (wanted.size() != many.size())
      return fmt::format("{} holds {}, expected {}", name, many.size(), wanted.size());
    for (std::size_t i = 0; i < many.size(); ++i)
      if (auto text =
              first_difference(fmt::format("{}[{}]", name, i), nodes(wanted[i]), nodes(many[i]));
          !text.empty())
        return text;
  }
  const auto flat = [](const Entries& entries) {
    std::vector<Value> values;
    for (const auto& [key, value] : entries) {
      values.push_back(key);
      values.push_back(value);
    }
    return values;
  };
  for (const auto& [name, entries] : got.maps)
    if (auto text = first_difference(name, flat(expected.maps.at(name)), flat(entries));
        !text.empty())
      return text;
  return "";
}

}  // namespace Atoll::greenmarl::oracle
