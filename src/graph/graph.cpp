// Builds a graph's sections on request, and releases their memory; reads labels and values.
#include "atoll/graph/graph.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "graph/build.hpp"
#include "graph/edge_lists.hpp"
#include "graph/state.hpp"

namespace Atoll::graph {

std::string_view to_string(Section section) {
  static constexpr std::array<std::string_view, kSections> names{"begin", "node_idx", "r_begin",
                                                                 "r_node_idx", "r_edge_idx"};
  return names.at(static_cast<std::size_t>(section));
}

Graph::Graph() : state_(std::make_unique<State>()) {
  adopt(state_->section(Section::begin), Buffer<std::uint32_t>(1));
  adopt(state_->section(Section::node_idx), Buffer<std::uint32_t>(0));
}
Graph::Graph(std::unique_ptr<State> state) : state_(std::move(state)) {}
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

std::uint64_t Graph::nodes() const {
  return state_->nodes;
}
std::uint64_t Graph::edges() const {
  return state_->edges;
}
IdWidth Graph::node_width() const {
  return state_->node_width;
}
IdWidth Graph::edge_width() const {
  return state_->edge_width;
}

bool Graph::has(Section section) const {
  return state_->section(section).there;
}

std::span<const std::byte> Graph::bytes(Section section) const {
  assert(has(section));
  return state_->section(section).bytes;
}

void Graph::require(Section section, const Team& team) {
  if (has(section)) return;
  for (const Section source : {Section::begin, Section::node_idx})
    if (state_->section(source).released)
      throw Error::failed("graph", "in-edges asked for after the out-edges were given back",
                          "require() all sections before the first drop()");
  build_reverse(*state_, section, team);
}

void Graph::drop(Section section, std::size_t first_byte, std::size_t bytes) {
  auto& content = state_->section(section);
  if (content.own.data() == nullptr && state_->file.data() == nullptr) return;  // borrowed memory
  const auto part =
      content.bytes.subspan(first_byte).first(std::min(bytes, content.bytes.size() - first_byte));
  discard_pages(part.data(), part.size());
  content.released = content.own.data() != nullptr;
}

const std::vector<std::string>& Graph::value_names() const {
  return state_->value_names;
}

EdgeValues Graph::values(std::string_view name) const {
  const auto& names = state_->value_names;
  const auto position =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  assert(position < names.size());
  const std::byte* const first = state_->values.bytes.data() + position * edges() * 8;
  const auto& kinds = state_->value_kinds;
  if (kinds.there && kinds.bytes[position] != std::byte{0})
    return std::span(reinterpret_cast<const std::int64_t*>(first), edges());
  return std::span(reinterpret_cast<const double*>(first), edges());
}

void Graph::drop_values(std::string_view name) {
  const auto numbers = std::visit([](auto all) { return std::as_bytes(all); }, values(name));
  discard_pages(numbers.data(), numbers.size());
}

bool Graph::has_labels() const {
  return state_->label_text.there;
}

std::string Graph::label(std::uint64_t node) const {
  assert(node < nodes());
  return has_labels() ? std::string(label_view(node)) : std::to_string(node);
}

std::string_view Graph::label_view(std::uint64_t node) const {
  assert(node < nodes() && has_labels());
  std::uint64_t range[2];
  std::memcpy(range, state_->label_begin.bytes.data() + node * sizeof range[0], sizeof range);
  return {reinterpret_cast<const char*>(state_->label_text.bytes.data()) + range[0],
          range[1] - range[0]};
}

}  // namespace Atoll::graph
