// The Run of generated code, with all arrays placed and the graph's arrays filled.
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
#include "program/memory_names.hpp"
#include "program/names.hpp"

namespace Atoll::program {

template <class Node, class Edge>
class PlacedRun final : public Run<Node, Edge> {
 public:
  /// Makes the properties, which are 0, False or NIL everywhere, and empty collections.
  PlacedRun(const memory::Context& context, const Procedure& procedure,
            const Functions<Node, Edge>& functions, const std::vector<DecidedArray>& arrays,
            const std::vector<graph::GraphSize>& sizes, const std::vector<Names>& names,
            std::uint64_t seed)
      : names_(names) {
    this->team_ = &context.team;
    this->schedule_ = any_partitioned(arrays) ? LoopSchedule::fixed : LoopSchedule::dynamic;
    if (!sizes.empty())
      static_cast<GraphArrays<Node, Edge>&>(*this) = {sizes[0].nodes, sizes[0].edges};
    for (std::size_t i = 1; i < sizes.size(); ++i)
      this->others_.emplace_back(sizes[i].nodes, sizes[i].edges);
    this->seed_ = seed;
    for (const DecidedArray& array : arrays)
      if (!array.use->pattern.graph_own) place_property(context, array);
    CollectionTypes types;
    if (functions.add_types != nullptr) functions.add_types(types);
    for (const CollectionUse& use : procedure.collections)
      collections_.make(use, types.of(use.name), this->graph(use.graph).nodes(),
                        this->graph(use.graph).edges());
  }

  void set_arguments(const std::vector<std::pair<std::string, Scalar>>& arguments) {
    this->arguments_ = arguments;
  }

  /// `take` frees a graph's own arrays as they are placed; `keep` keeps them.
  enum class From { take, keep };

  /// Places a graph's arrays, and makes `names` use the placed arrays.
  void place_graph(const memory::Context& context, const std::vector<DecidedArray>& arrays,
                   std::uint32_t position, graph::Graph& graph, Names& names,
                   From from = From::take) {
    const auto is_of_it = [&](const DecidedArray& array) {
      return array.use->pattern.graph_own && array.use->graph == position;
    };

    // In-edges are made from out-edges, so all sections are made before the first one is freed.
    for (const DecidedArray& array : arrays)
      if (is_of_it(array) && array.choice.allocated)
        graph.require(section_of(array.use->name), context.team);
    for (const DecidedArray& array : arrays)
      if (is_of_it(array)) place_section(context, array, graph, from);
    const GraphArrays<Node, Edge>& placed = this->graph(position);
    names.use_edges(
        placed.begin.allocated() ? std::optional(IdSpan(placed.begin.local())) : std::nullopt,
        placed.node_idx.allocated() ? std::optional(IdSpan(placed.node_idx.local()))
                                    : std::nullopt);
  }

  /// Returns a property's elements. Writes go to the master copy; sync() copies it to the others.
  [[nodiscard]] Elements elements(const ArrayUse& use) {
    return std::visit(
        [&]<class T>(Array<T>& array) {
          const std::span<T> all = array.master();
          return Elements{
              .name = use.name,
              .type = use.type,
              .graph = use.graph,
              .edges = use.edges,
              .count = all.size(),
              .names = &names_[use.graph],
              .value_names = &names_[use.value_graph],
              .bytes = std::as_writable_bytes(all),
              .get = [all](std::uint64_t i) { return to_scalar(all[i]); },
              .set = [all](std::uint64_t i, Scalar value) { all[i] = from_scalar<T>(value); }};
        },
        properties_.at(use.name));
  }
  /// Returns a single collection.
  [[nodiscard]] Items items(const CollectionUse& use) const {
    return named(collections_.items(use));
  }
  /// Returns several collections.
  [[nodiscard]] ManyItems many(const CollectionUse& use) const {
    ManyItems many = collections_.many(use);
    many.names = &names_[use.graph];
    many.at = [this, at = std::move(many.at)](std::uint64_t i) { return named(at(i)); };
    many.append = [this, append = std::move(many.append)] { return named(append()); };
    return many;
  }
  void sync(const ArrayUse& use) {
    std::visit([](auto& array) { array.sync(); }, properties_.at(use.name));
  }

  [[nodiscard]] const auto& trip_counts() const { return this->trip_counts_; }
  [[nodiscard]] std::optional<Scalar> returned() const {
    return this->returned_.empty() ? std::nullopt : std::optional(this->returned_.front());
  }
  [[nodiscard]] const RawArray& raw(const ArrayUse& use) const {
    if (use.pattern.graph_own)
      return visit_section(use.graph == 0 ? *this : this->others_[use.graph - 1], use.name,
                           [](const auto& array) -> const RawArray& { return array.raw(); });
    return std::visit([](const auto& array) -> const RawArray& { return array.raw(); },
                      properties_.at(use.name));
  }
  /// Returns a scalar result; empty if the procedure hasn't set it.
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

  [[nodiscard]] Items named(Items items) const {
    items.names = &names_[items.use->graph];
    // Nodes in a Collection or a property belong to the graph that its type names.
    if (items.use->place != CollectionPlace::alone) items.names = &names_[items.use->value_graph];
    items.value_names = &names_[items.use->value_graph];
    return items;
  }

  template <class Arrays, class Visitor>
  static decltype(auto) visit_section(Arrays& arrays, std::string_view name, Visitor&& visitor) {
    using graph::Section;
    switch (section_of(name)) {
      case Section::begin:
        return visitor(arrays.begin);
      case Section::r_begin:
        return visitor(arrays.r_begin);
      case Section::r_edge_idx:
        return visitor(arrays.r_edge_idx);
      case Section::node_idx:
        return visitor(arrays.node_idx);
      case Section::r_node_idx:
        break;
    }
    return visitor(arrays.r_node_idx);
  }

  /// Arrays of graphs other than the first have names such as "H.begin".
  static graph::Section section_of(std::string_view name) {
    name.remove_prefix(name.rfind('.') + 1);
    for (int i = 0; i < graph::kSections; ++i)
      if (to_string(static_cast<graph::Section>(i)) == name) return static_cast<graph::Section>(i);
    throw Error::failed("program", "no array of a graph is called " + std::string(name));
  }

  /// Copies in pieces, and frees each piece of the source after its copy, so that memory never
  /// holds the graph twice.
  void place_section(const memory::Context& context, const DecidedArray& array, graph::Graph& graph,
                     From from) {
    if (!array.choice.allocated) return;
    constexpr std::size_t kPieceBytes = std::size_t{16} << 20;
    const graph::Section section = section_of(array.use->name);
    visit_section(this->graph(array.use->graph), array.use->name, [&]<class Id>(Array<Id>& target) {
      target = Array<Id>(context, array.elements, array.choice);
      name_memory(target.raw(), array.use->name);
      // If another graph has wide ids, narrow ids are widened.
      const bool widened = graph.bytes(section).size() < array.elements * sizeof(Id);
      const std::size_t width = widened ? sizeof(std::uint32_t) : sizeof(Id);
      const std::size_t piece = kPieceBytes / sizeof(Id);
      std::vector<Id> wide;
      for (std::size_t first = 0; first < array.elements; first += piece) {
        const std::size_t count = std::min<std::size_t>(piece, array.elements - first);
        if (widened) {
          const auto ids = graph.template ids<std::uint32_t>(section).subspan(first, count);
          wide.assign(ids.begin(), ids.end());
          target.copy_from(wide, first);
        } else {
          target.copy_from(graph.template ids<Id>(section).subspan(first, count), first);
        }
        if (from == From::take) graph.drop(section, first * width, count * width);
      }
    });
  }

  void place_property(const memory::Context& context, const DecidedArray& array) {
    const auto make = [&]<class T>(T nil = T()) {
      Array<T> property(context, array.elements, array.choice);
      name_memory(property.raw(), array.use->name);
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
  Collections collections_;
  const std::vector<Names>& names_;
};

}  // namespace Atoll::program
