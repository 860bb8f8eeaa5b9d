// Runs a library's procedure: places its arrays and runs it as main() does.
#include <fmt/format.h>

#include "program/id_types.hpp"
#include "program/input_files.hpp"
#include "program/library_state.hpp"
#include "program/placed_run.hpp"

namespace Atoll::program {
namespace {

/// Owns a run's data. The graphs that the names belong to live as long.
template <class Node, class Edge>
class Held final : public LibraryResults {
 public:
  Held(const memory::Context& context, const Procedure& procedure,
       const Functions<Node, Edge>& functions, const std::vector<DecidedArray>& arrays,
       const std::vector<graph::GraphSize>& sizes, std::vector<Names> names, std::uint64_t seed)
      : widths_(widths_of(sizes)),
        names_(std::move(names)),
        run_(context, procedure, functions, arrays, sizes, names_, seed) {}

  Elements elements(const ArrayUse& use) override { return run_.elements(use); }
  void sync(const ArrayUse& use) override { run_.sync(use); }
  Items items(const CollectionUse& use) override { return run_.items(use); }
  [[nodiscard]] std::optional<Scalar> returned() const override { return run_.returned(); }
  [[nodiscard]] std::optional<Scalar> output(std::string_view name) const override {
    return run_.output(name);
  }
  [[nodiscard]] graph::IdWidths widths() const override { return widths_; }
  std::vector<Names>& names() { return names_; }
  PlacedRun<Node, Edge>& run() { return run_; }

 private:
  graph::IdWidths widths_;
  std::vector<Names> names_;
  PlacedRun<Node, Edge> run_;
};

}  // namespace

std::vector<std::pair<std::string, Scalar>> LibraryCall::State::argument_values(
    const std::vector<Names>& names) {
  std::vector<std::pair<std::string, Scalar>> values;
  for (const Argument& one : procedure().arguments) {
    if (one.output) continue;
    const Names& of = names[one.graph];
    if (is_id(one.type)) {
      const auto id = ids.find(one.name);
      if (id == ids.end()) throw Error::input(procedure().name, "has no " + one.name, "give it");
      const bool node = one.type == ValueType::node;
      const std::uint64_t limit = node ? of.nodes() : of.edges();
      if (id->second != UINT64_MAX && id->second >= limit)
        throw Error::input(one.name, fmt::format("{} is no {}", id->second, node ? "node" : "edge"),
                           fmt::format("they are numbered from 0 below {}", limit));
      const std::uint64_t nil = node ? of.nil_node() : of.nil_edge();
      values.emplace_back(one.name, to_scalar(id->second == UINT64_MAX ? nil : id->second));
    } else {
      const auto value = scalars.find(one.name);
      if (value == scalars.end())
        throw Error::input(procedure().name, "has no value for '" + one.name + "'", "give it one");
      values.emplace_back(one.name, value->second);
    }
  }
  return values;
}

/// Initializes a property from the caller's array, or else from values in the graph's file.
void LibraryCall::State::fill(LibraryResults& run, const ArrayUse& use) {
  const Elements elements = run.elements(use);
  if (const auto given = arrays.find(use.name); given != arrays.end()) {
    const Names& of = *elements.value_names;
    fill_elements(elements, given->second, run.widths(),
                  use.type == ValueType::node ? of.nodes() : of.edges());
  } else if (const LibraryGraph::Shared& of = *graphs[use.graph]; has_values(of.graph, use)) {
    copy_values(of.graph, of.file, elements);
  } else if (use.needed) {
    throw Error::input(procedure().name,
                       fmt::format("reads '{}', and nothing gives its values", use.name),
                       use.edges ? "give an array, or a graph whose file has values of this name"
                                 : "give an array");
  } else {
    return;
  }
  run.sync(use);
}

template <class Node, class Edge>
void LibraryCall::State::place_and_run(const Team& team,
                                       const std::vector<graph::GraphSize>& sizes) {
  const memory::Context context{*machine, team, memory::system_backend()};
  const std::vector<DecidedArray> decided =
      decide(procedure(), sizes, *machine, team.places(), options);
  std::vector<Names> names;
  for (const auto& one : graphs) names.emplace_back(one->graph, widths_of(sizes));
  if (names.empty()) names.emplace_back(no_graph->graph);
  auto values = argument_values(names);

  const auto& functions = functions_of<Node, Edge>(offered->entry);
  auto held = std::make_unique<Held<Node, Edge>>(context, procedure(), functions, decided, sizes,
                                                 std::move(names), options.seed);
  held->run().set_arguments(values);
  for (const ArrayUse& use : procedure().arrays)
    if (use.input) fill(*held, use);
  for (const CollectionUse& use : procedure().collections)
    if (const auto given = arrays.find(use.name); use.input && given != arrays.end())
      fill_items(held->items(use), given->second, held->widths());
  for (std::uint32_t i = 0; i < graphs.size(); ++i) {
    const std::scoped_lock lock(graphs[i]->making);  // other calls may use the same graph
    held->run().place_graph(context, decided, i, graphs[i]->graph, held->names()[i],
                            PlacedRun<Node, Edge>::From::keep);
  }
  functions.run(held->run());
  team.check_stop();  // a stop request after the last chunk counts, too
  results = std::move(held);
}

void LibraryCall::State::work() {
  machine.emplace(Machine::open(""));
  const Team own(places_on(*machine, options), Team::Runtime::std_threads);
  {
    const std::scoped_lock lock(stopping);
    running = &own;
    if (stop_wanted) own.request_stop();
  }
  struct Leave {
    State& state;
    ~Leave() {
      const std::scoped_lock lock(state.stopping);
      state.running = nullptr;
      state.stop_wanted = false;
    }
  } const leave{*this};
  own.check_stop();
  std::vector<graph::GraphSize> sizes;
  for (const auto& one : graphs) sizes.push_back(one->graph.size());
  with_id_types(widths_of(sizes),
                [&]<class Node, class Edge>() { place_and_run<Node, Edge>(own, sizes); });
}

}  // namespace Atoll::program
