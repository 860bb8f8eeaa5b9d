// The Run that generated code sees, with every array placed and the graph's arrays filled.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/graph/graph.hpp"
#include "atoll/program/program.hpp"
#include "program/collections.hpp"
#include "program/decide.hpp"
#include "program/elements.hpp"
#include "program/names.hpp"

namespace Atoll::program {

template <class Node, class Edge>
class PlacedRun final : public Run<Node, Edge> {
 public:
  /// Makes the properties, 0, False or NIL everywhere, and empty collections.
  PlacedRun(const memory::Context& context, const Procedure& procedure,
            const std::vector<DecidedArray>& arrays, const graph::Graph& graph,
            std::uint64_t seed) {
    this->team_ = &context.team;
    this->schedule_ = any_partitioned(arrays) ? LoopSchedule::fixed : LoopSchedule::dynamic;
    this->nodes_ = graph.nodes();
    this->edges_ = graph.edges();
    this->seed_ = seed;
    for (const DecidedArray& array : arrays)
      if (!array.use->pattern.graph_own) place_property(context, array);
    for (const CollectionUse& use : procedure.collections) collections_.make(use);
  }

  void set_arguments(const std::vector<std::pair<std::string, Scalar>>& arguments) {
    this->arguments_ = arguments;
  }

  /// Takes the graph's arrays. What it takes, the graph has no longer; `names` looks for edges in
  /// the new ones.
  void place_graph(const memory::Context& context, const std::vector<DecidedArray>& arrays,
                   graph::Graph& graph, Names& names) {
    // In-edges are made from out-edges, so all sections are made before the first is given back.
    for (const DecidedArray& array : arrays)
      if (array.use->pattern.graph_own && array.choice.allocated)
        graph.require(section_of(array.use->name), context.team);
    for (const DecidedArray& array : arrays)
      if (array.use->pattern.graph_own) place_section(context, array, graph);
    using graph::Section;
    names.use_edges(this->begin.allocated() ? IdSpan(this->begin.local())
                                            : IdSpan(graph.template ids<Edge>(Section::begin)),
                    this->node_idx.allocated()
                        ? IdSpan(this->node_idx.local())
                        : IdSpan(graph.template ids<Node>(Section::node_idx)));
  }

  /// A property's elements. They are written to the master copy: sync() brings them to the others.
  [[nodiscard]] Elements elements(const ArrayUse& use) {
    return std::visit(
        [&]<class T>(Array<T>& array) {
          const std::span<T> all = array.master();
          return Elements{
              .name = use.name,
              .type = use.type,
              .edges = use.edges,
              .count = all.size(),
              .bytes = std::as_writable_bytes(all),
              .get = [all](std::uint64_t i) { return to_scalar(all[i]); },
              .set = [all](std::uint64_t i, Scalar value) { all[i] = from_scalar<T>(value); }};
        },
        properties_.at(use.name));
  }
  [[nodiscard]] Items items(const CollectionUse& use) const { return collections_.items(use); }
  void sync(const ArrayUse& use) {
    std::visit([](auto& array) { array.sync(); }, properties_.at(use.name));
  }

  [[nodiscard]] const auto& trip_counts() const { return this->trip_counts_; }
  [[nodiscard]] std::optional<Scalar> returned() const {
    return this->returned_.empty() ? std::nullopt : std::optional(this->returned_.front());
  }
  [[nodiscard]] const RawArray& raw(const ArrayUse& use) const {
    if (use.pattern.graph_own)
      return visit_section(*this, use.name,
                           [](const auto& array) -> const RawArray& { return array.raw(); });
    return std::visit([](const auto& array) -> const RawArray& { return array.raw(); },
                      properties_.at(use.name));
  }
  /// A scalar result, if the procedure has set it.
  [[nodiscard]] std::optional<Scalar> output(std::string_view name) const {
    for (const auto& [known, value] : this->outputs_)
      if (known == name) return value;
    return std::nullopt;
  }

 private:
  using Property =
      std::variant<Array<std::int32_t>, Array<std::int64_t>, Array<float>, Array<double>,
                   Array<bool>, Array<std::uint32_t>, Array<std::uint64_t>>;

  void* find_array(std::string_view name) override {
    const auto found = properties_.find(name);
    assert(found != properties_.end());
    return std::visit([](auto& array) -> void* { return &array; }, found->second);
  }

  void* find_collection(std::string_view name) override {
    void* const found = collections_.find(name);
    assert(found != nullptr);
    return found;
  }

  template <class Self, class Visitor>
  static decltype(auto) visit_section(Self& self, std::string_view name, Visitor&& visitor) {
    using graph::Section;
    if (name == to_string(Section::begin)) return visitor(self.begin);
    if (name == to_string(Section::r_begin)) return visitor(self.r_begin);
    if (name == to_string(Section::r_edge_idx)) return visitor(self.r_edge_idx);
    return name == to_string(Section::node_idx) ? visitor(self.node_idx) : visitor(self.r_node_idx);
  }

  static graph::Section section_of(std::string_view name) {
    for (int i = 0; i < graph::kSections; ++i)
      if (to_string(static_cast<graph::Section>(i)) == name) return static_cast<graph::Section>(i);
    throw Error::failed("program", "no array of a graph is called " + std::string(name));
  }

  /// Copies piece by piece, and gives each piece back as soon as it is copied, so that the graph is
  /// never in memory twice.
  void place_section(const memory::Context& context, const DecidedArray& array,
                     graph::Graph& graph) {
    if (!array.choice.allocated) return;
    constexpr std::size_t kPieceBytes = std::size_t{16} << 20;
    const graph::Section section = section_of(array.use->name);
    visit_section(*this, array.use->name, [&]<class Id>(Array<Id>& target) {
      target = Array<Id>(context, array.elements, array.choice);
      const std::span<const Id> ids = graph.template ids<Id>(section);
      const std::size_t piece = kPieceBytes / sizeof(Id);
      for (std::size_t first = 0; first < ids.size(); first += piece) {
        const std::size_t count = std::min(piece, ids.size() - first);
        target.copy_from(ids.subspan(first, count), first);
        graph.drop(section, first * sizeof(Id), count * sizeof(Id));
      }
    });
  }

  void place_property(const memory::Context& context, const DecidedArray& array) {
    const auto make = [&]<class T>(T nil = T()) {
      Array<T> property(context, array.elements, array.choice);
      if (nil != T()) property.fill(nil);
      properties_.emplace(array.use->name, std::move(property));
    };
    switch (array.use->type) {
      case ValueType::int32:
        return make.template operator()<std::int32_t>();
      case ValueType::int64:
        return make.template operator()<std::int64_t>();
      case ValueType::float32:
        return make.template operator()<float>();
      case ValueType::float64:
        return make.template operator()<double>();
      case ValueType::boolean:
        return make.template operator()<bool>();
      case ValueType::node:  // NOLINT(bugprone-branch-clone): of this graph, as wide as its ids
        return make(static_cast<Node>(-1));
      case ValueType::edge:
        return make(static_cast<Edge>(-1));
    }
  }

  std::map<std::string, Property, std::less<>> properties_;
  Collections<Node, Edge> collections_;
};

}  // namespace Atoll::program
