// Looks up labels with a linear search, and after several look-ups with an index.
#include "program/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>

#include "atoll/base/error.hpp"

namespace Atoll::program {
namespace {

constexpr int kScansBeforeIndex = 4;
constexpr std::size_t kNearLabels = 3;

/// Returns the edit distance (changed, inserted and omitted characters). Values above `most` may be
/// inexact.
std::size_t distance(std::string_view a, std::string_view b, std::size_t most) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > most) return most + 1;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j)
      corner = std::exchange(
          row[j + 1], std::min({row[j + 1] + 1, row[j] + 1, corner + (a[i] == b[j] ? 0 : 1)}));
  }
  return row.back();
}

std::string quoted_list(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels)
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", label);
  return text;
}

}  // namespace

std::uint64_t node_number(std::string_view text, std::uint64_t nodes, const Where& where) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && number < nodes) return number;
  const bool is_number = text.find_first_not_of("-0123456789") == std::string_view::npos;
  throw Error::input(where(),
                     is_number && !text.empty()
                         ? fmt::format("there is no node {} in the graph", text)
                         : fmt::format("'{}' is no node: the graph has no labels", text),
                     nodes == 0 ? "it has none" : fmt::format("nodes are 0 … {}", nodes - 1));
}

Names::Names(const graph::Graph& graph, graph::IdWidths widths) : graph_(graph), widths_(widths) {
  graph::with_id_types(graph, [&]<class Node, class Edge>() {
    use_edges(IdSpan(graph.ids<Edge>(graph::Section::begin)),
              IdSpan(graph.ids<Node>(graph::Section::node_idx)));
  });
}

bool Names::is(std::uint64_t node, std::string_view label) const {
  if (graph_.has_labels()) return graph_.label_view(node) == label;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), number);
  return error == std::errc{} && end == label.data() + label.size() && number == node;
}

void Names::make_index() const {
  const std::size_t size = std::bit_ceil(nodes() + nodes() / 4 + 1);
  if (nodes() < UINT32_MAX)
    index_ = std::vector<std::uint32_t>(size);
  else
    index_ = std::vector<std::uint64_t>(size);
  std::visit(
      [&]<class Id>(std::vector<Id>& index) {
        for (std::uint64_t node = 0; node < nodes(); ++node) {
          std::size_t at = std::hash<std::string_view>{}(graph_.label_view(node));
          while (index[at &= size - 1] != 0) ++at;
          index[at] = static_cast<Id>(node + 1);
        }
      },
      index_);
}

std::vector<std::uint64_t> Names::nodes_called(std::string_view label) const {
  std::vector<std::uint64_t> found;
  const auto look_at = [&](std::uint64_t node) {
    if (graph_.label_view(node) == label) found.push_back(node);
  };
  const auto size = [](const auto& index) { return index.size(); };
  if (std::visit(size, index_) == 0 && scans_++ >= kScansBeforeIndex) make_index();
  if (std::visit(size, index_) == 0)
    for (std::uint64_t node = 0; node < nodes(); ++node) look_at(node);
  else
    std::visit(
        [&](const auto& index) {
          std::size_t at = std::hash<std::string_view>{}(label);
          for (; index[at &= index.size() - 1] != 0; ++at) look_at(index[at] - 1);
        },
        index_);
  std::ranges::sort(found);
  return found;
}

Error Names::unknown(std::string_view label, const Where& where) const {
  const std::size_t most = std::max<std::size_t>(1, label.size() / 3);
  std::vector<std::pair<std::size_t, std::uint64_t>> near;  // (distance, node), ascending
  for (std::uint64_t node = 0; node < nodes(); ++node) {
    const std::size_t far = distance(label, graph_.label_view(node), most);
    if (far > most || (near.size() == kNearLabels && far >= near.back().first)) continue;
    near.insert(std::ranges::upper_bound(near, std::pair{far, node}), {far, node});
    if (near.size() > kNearLabels) near.pop_back();
  }
  std::vector<std::string> labels;
  labels.reserve(near.size());
  for (const auto& [far, node] : near) labels.push_back(this->label(node));
  return Error::input(where(), fmt::format("there is no node '{}' in the graph", label),
                      labels.empty() ? fmt::format("labels are such as '{}'", this->label(0))
                                     : "near it: " + quoted_list(labels));
}

std::uint64_t Names::node(std::string_view label, const Where& where) const {
  if (!graph_.has_labels()) return node_number(label, nodes(), where);
  const std::vector<std::uint64_t> found = nodes_called(label);
  if (found.empty()) throw unknown(label, where);
  if (found.size() > 1)
    throw Error::input(where(),
                       fmt::format("{} nodes are called '{}', the first two are {} and {}",
                                   found.size(), label, found[0], found[1]),
                       "give nodes different labels");
  return found.front();
}

Names::Ends Names::ends(std::uint64_t edge) const {
  std::uint64_t low = 0, high = nodes();  // invariant: the source is in [low, high)
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (begin_[middle] <= edge ? low : high) = middle;
  }
  Ends ends{low, targets_[edge]};
  while (edge > begin_[low] && targets_[edge - 1] == ends.to) --edge, ++ends.number;
  return ends;
}

std::pair<std::uint64_t, std::uint64_t> Names::edges_between(std::uint64_t from,
                                                             std::uint64_t to) const {
  const auto bound = [&](auto&& is_before) {
    std::uint64_t low = begin_[from], high = begin_[from + 1];
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (is_before(targets_[middle]))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  return {bound([&](std::uint64_t target) { return target < to; }),
          bound([&](std::uint64_t target) { return target <= to; })};
}

std::uint64_t Names::edge(const Ends& ends, const Where& where) const {
  const auto [first, behind] = edges_between(ends.from, ends.to);
  if (first == behind)
    throw Error::input(
        where(),
        fmt::format("there is no edge from '{}' to '{}'", label(ends.from), label(ends.to)),
        "is it the other way round?");
  if (ends.number == 0 || ends.number > behind - first)
    throw Error::input(where(),
                       fmt::format("there is no edge number {} from '{}' to '{}'", ends.number,
                                   label(ends.from), label(ends.to)),
                       fmt::format("there are {}", behind - first));
  return first + ends.number - 1;
}

}  // namespace Atoll::program
