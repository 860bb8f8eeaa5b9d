#include "machine/routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "atoll/base/units.hpp"
#include "machine/quantity.hpp"

namespace Atoll::detail {

Routes::Routes(const Machine::Data& data) : wires_(data.hardware.wires) {
  if (wires_.empty()) {
    are_known_ = false;
    for (const auto& [pair, link] : data.links)
      if (pair.first != pair.second)
        wires_.push_back({std::to_string(pair.second.value), std::to_string(pair.first.value),
                          link.read_bytes_per_second});
  }
  for (std::size_t i = 0; i < wires_.size(); ++i) {
    const std::size_t a = vertex(wires_[i].a), b = vertex(wires_[i].b);
    edges_[a].push_back({b, {i, true}});
    // A wire made from a link has one direction; the link of the opposite direction has its own
    // wire.
    if (are_known_) edges_[b].push_back({a, {i, false}});
  }
}

std::size_t Routes::vertex(const std::string& end) {
  const auto [known, is_new] = vertices_.emplace(end, edges_.size());
  if (is_new) edges_.emplace_back();
  return known->second;
}

const std::vector<Routes::Reached>& Routes::reached_from(std::size_t start) const {
  const auto [known, is_new] = reached_.try_emplace(start);
  std::vector<Reached>& reached = known->second;
  if (!is_new) return reached;
  reached.resize(edges_.size());
  reached[start] = {0, std::numeric_limits<double>::infinity(), start, {}};
  std::vector<std::size_t> now{start};
  for (std::size_t hops = 1; !now.empty(); ++hops) {
    std::vector<std::size_t> next;
    for (const std::size_t at : now)
      for (const Edge& edge : edges_[at]) {
        const double width =
            std::min(reached[at].width, wires_[edge.hop.wire].bytes_per_second.value);
        Reached& there = reached[edge.to];
        if (there.hops < hops || (there.hops == hops && there.width >= width)) continue;
        if (there.hops > hops) next.push_back(edge.to);
        there = {hops, width, at, edge.hop};
      }
    now = std::move(next);
  }
  return reached;
}

std::optional<std::vector<Hop>> Routes::find(NodeId from, NodeId to) const {
  std::vector<Hop> route;
  if (from == to) return route;
  const auto start = vertices_.find(std::to_string(from.value));
  const auto end = vertices_.find(std::to_string(to.value));
  if (start == vertices_.end() || end == vertices_.end()) return std::nullopt;
  const std::vector<Reached>& reached = reached_from(start->second);
  if (reached[end->second].hops == ~std::size_t{0}) return std::nullopt;
  for (std::size_t at = end->second; at != start->second; at = reached[at].from)
    route.push_back(reached[at].hop);
  std::reverse(route.begin(), route.end());
  return route;
}

std::optional<std::string> find_wrong_wire(const Machine::Data& data) {
  if (data.hardware.wires.empty()) return std::nullopt;
  std::set<std::string> nodes;
  for (const auto& [pair, link] : data.links) {
    nodes.insert(std::to_string(pair.first.value));
    nodes.insert(std::to_string(pair.second.value));
  }
  const Routes routes(data);
  for (const Wire& wire : routes.wires())
    for (const std::string& end : {wire.a, wire.b})
      if (end.find_first_not_of("0123456789") == std::string::npos && !nodes.contains(end))
        return fmt::format("a wire leads to node {}, which isn't there", end);
  for (const auto& [pair, link] : data.links) {
    const auto route = routes.find(pair.second, pair.first);
    if (!route)
      return fmt::format("no wires lead from node {} to node {}", pair.second.value,
                         pair.first.value);
    for (const Hop& hop : *route)
      if (const Wire& wire = routes.wires()[hop.wire];
          wire.bytes_per_second.value < link.read_bytes_per_second.value)
        return fmt::format(
            "the wire between {} and {} carries {}, less than node {} reads of {}: {}", wire.a,
            wire.b, write_bandwidth(wire.bytes_per_second.value), pair.first.value,
            pair.second.value, write_bandwidth(link.read_bytes_per_second.value));
  }
  return std::nullopt;
}

}  // namespace Atoll::detail
