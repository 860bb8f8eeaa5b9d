// Makes layout requests from a procedure's arrays. The arrays of a group become one request.
#include "program/decide.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace Atoll::program {

graph::IdWidths widths_of(const std::vector<graph::GraphSize>& sizes) {
  graph::IdWidths widest;
  for (const graph::GraphSize& size : sizes) {
    widest.node = std::max(widest.node, size.node_width);
    widest.edge = std::max(widest.edge, size.edge_width);
  }
  return widest;
}

std::uint32_t element_bytes(ValueType type, graph::IdWidths widths) {
  switch (type) {
    case ValueType::int32:
    case ValueType::float32:
      return 4;
    case ValueType::int64:
    case ValueType::float64:
      return 8;
    case ValueType::boolean:
      return 1;
    case ValueType::node:
      return bytes_of(widths.node);
    case ValueType::edge:
      return bytes_of(widths.edge);
  }
  return 8;
}

std::vector<DecidedArray> decide(const Procedure& procedure,
                                 const std::vector<graph::GraphSize>& sizes, const Machine& machine,
                                 const ThreadPlaces& team, const RunOptions& options) {
  ChoiceOptions choice_options{
      .policy = options.policy, .force = options.layout, .bindings = {{"N", 0}, {"E", 0}}};
  for (std::size_t i = 0; i < procedure.graphs.size(); ++i) {
    const std::string of = i == 0 ? "" : "_" + procedure.graphs[i];
    const auto nodes = static_cast<double>(sizes[i].nodes);
    const auto edges = static_cast<double>(sizes[i].edges);
    choice_options.bindings["N" + of] = nodes;
    choice_options.bindings["E" + of] = edges;
    choice_options.bindings["deg" + of] = nodes > 0 ? edges / nodes : 0;
  }
  const graph::IdWidths widths = widths_of(sizes);
  choice_options.pages = page_size_from_string(options.pages);  // "auto" means none

  std::vector<DecidedArray> arrays;
  std::vector<ArrayRequest> requests;
  std::vector<std::size_t> request_of;          // index in `requests`, by array
  std::map<std::string, std::size_t> of_group;  // index of the group's request
  for (const ArrayUse& use : procedure.arrays) {
    DecidedArray array{.use = &use,
                       .elements = static_cast<std::uint64_t>(
                           std::llround(use.pattern.elements.evaluate(choice_options.bindings))),
                       .element_bytes = element_bytes(use.type, widths)};
    const auto group = use.group.empty() ? of_group.end() : of_group.find(use.group);
    if (group == of_group.end()) {
      if (!use.group.empty()) of_group.emplace(use.group, requests.size());
      request_of.push_back(requests.size());
      requests.push_back({.name = use.name,
                          .elements = array.elements,
                          .element_bytes = array.element_bytes,
                          .pattern = use.pattern,
                          .filled_from_elsewhere = use.pattern.graph_own || use.input});
      // An array that is loaded or saved needs memory, even if the procedure doesn't access it.
      if ((use.input || use.result) && !use.pattern.used())
        requests.back().pattern.accesses.push_back({false, Order::stream, use.pattern.elements});
    } else {
      ArrayRequest& shared = requests[group->second];
      request_of.push_back(group->second);
      shared.elements += array.elements;
      shared.pattern.merge(use.pattern);
    }
    arrays.push_back(std::move(array));
  }

  const std::vector<Choice> choices = choose_layouts(requests, machine, team, choice_options);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    arrays[i].choice = choices[request_of[i]];
    arrays[i].choice.name = arrays[i].use->name;
    arrays[i].choice.bytes =
        arrays[i].elements * arrays[i].element_bytes * arrays[i].choice.layout.copies();
  }
  return arrays;
}

bool any_partitioned(const std::vector<DecidedArray>& arrays) {
  return std::any_of(arrays.begin(), arrays.end(), [](const DecidedArray& array) {
    const auto* parts = std::get_if<Partitioned>(&array.choice.layout.where);
    return array.choice.allocated && parts != nullptr &&
           std::adjacent_find(parts->nodes.begin(), parts->nodes.end(), std::not_equal_to<>()) !=
               parts->nodes.end();
  });
}

}  // namespace Atoll::program
