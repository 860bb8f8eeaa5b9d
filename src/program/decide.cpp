// Makes requests from descriptions; the arrays of a group become one request.
#include "program/decide.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace Atoll::program {

std::uint32_t element_bytes(Type type, const GraphSize& size) {
  switch (type) {
    case Type::int32:
    case Type::float32:
      return 4;
    case Type::int64:
    case Type::float64:
      return 8;
    case Type::boolean:
      return 1;
    case Type::node:
      return size.node_bytes;
    case Type::edge:
      return size.edge_bytes;
  }
  return 8;
}

std::vector<DecidedArray> decide(const Description& description, const GraphSize& size,
                                 const Machine& machine, const ThreadPlaces& team,
                                 const RunOptions& options) {
  const auto nodes = static_cast<double>(size.nodes), edges = static_cast<double>(size.edges);
  ChoiceOptions choice_options{
      .policy = options.policy,
      .force = options.layout,
      .bindings = {{"N", nodes}, {"E", edges}, {"deg", nodes > 0 ? edges / nodes : 0}}};
  choice_options.pages = page_size_from_string(options.pages);  // "auto" gives none

  std::vector<DecidedArray> arrays;
  std::vector<ArrayRequest> requests;
  std::vector<std::size_t> request_of;          // by array
  std::map<std::string, std::size_t> of_group;  // the group's request
  for (const ArraySpec& spec : description.arrays) {
    DecidedArray array{.spec = &spec,
                       .elements = static_cast<std::uint64_t>(
                           std::llround(spec.pattern.elements.evaluate(choice_options.bindings))),
                       .element_bytes = element_bytes(spec.type, size)};
    const auto group = spec.group.empty() ? of_group.end() : of_group.find(spec.group);
    if (group == of_group.end()) {
      if (!spec.group.empty()) of_group.emplace(spec.group, requests.size());
      request_of.push_back(requests.size());
      requests.push_back({.name = spec.name,
                          .elements = array.elements,
                          .element_bytes = array.element_bytes,
                          .pattern = spec.pattern,
                          .filled_from_elsewhere = spec.pattern.graph_own});
    } else {
      ArrayRequest& shared = requests[group->second];
      request_of.push_back(group->second);
      shared.elements += array.elements;
      shared.pattern.merge(spec.pattern);
    }
    arrays.push_back(std::move(array));
  }

  const std::vector<Choice> choices = choose_layouts(requests, machine, team, choice_options);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    arrays[i].choice = choices[request_of[i]];
    arrays[i].choice.name = arrays[i].spec->name;
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
