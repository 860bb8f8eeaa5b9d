// The threads of a core share what it has under way. A line of traffic counts as a line read: a
// line that is written was read before, and profiles don't tell both apart by node.
#include "profile/predicted_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "atoll/trace/recording.hpp"

namespace Atoll::profile {

TrafficMatrix& TrafficMatrix::operator+=(const TrafficMatrix& other) {
  std::ranges::transform(cells_, other.cells_, cells_.begin(), std::plus{});
  return *this;
}

TrafficMatrix& TrafficMatrix::operator-=(const TrafficMatrix& other) {
  std::ranges::transform(cells_, other.cells_, cells_.begin(), std::minus{});
  return *this;
}

double TrafficMatrix::of_threads(std::size_t node) const {
  double sum = 0;
  for (std::size_t memory = 0; memory < nodes_; ++memory) sum += at(node, memory);
  return sum;
}

double TrafficMatrix::of_memory(std::size_t memory) const {
  double sum = 0;
  for (std::size_t node = 0; node < nodes_; ++node) sum += at(node, memory);
  return sum;
}

double TrafficMatrix::busiest() const {
  double most = 0;
  for (std::size_t memory = 0; memory < nodes_; ++memory) most = std::max(most, of_memory(memory));
  return most;
}

double TrafficMatrix::all() const {
  return std::accumulate(cells_.begin(), cells_.end(), 0.0);
}

double TrafficMatrix::local() const {
  double sum = 0;
  for (std::size_t node = 0; node < nodes_; ++node) sum += at(node, node);
  return sum;
}

PredictedTime::PredictedTime(const Machine& machine, const std::vector<NodeId>& nodes)
    : links_(machine), line_bytes_(static_cast<double>(trace::kLineBytes)) {
  for (const NodeId node : nodes) {
    places_.push_back(links_.place_of(machine.nearest_initiator(node)));
    memories_.push_back(links_.memory_index(node));
    std::set<int> cores;
    for (const Processor& processor : machine.processors())
      if (processor.node == links_.places[places_.back()]) cores.insert(processor.core);
    of_a_core_.push_back(1 / static_cast<double>(std::max<std::size_t>(1, cores.size())));
  }
}

detail::TrafficLoad PredictedTime::load(const TrafficMatrix& traffic,
                                        std::span<const double> busiest_part) const {
  detail::TrafficLoad load(links_);
  for (std::size_t node = 0; node < traffic.nodes(); ++node)
    for (std::size_t memory = 0; memory < traffic.nodes(); ++memory) {
      const double lines = traffic.at(node, memory);
      if (lines == 0) continue;
      load.add(
          places_[node], memories_[memory], lines * line_bytes_, 0,
          lines * std::max(busiest_part[node], of_a_core_[node]) / detail::kRandomLinesInFlight);
    }
  return load;
}

double PredictedTime::seconds(const TrafficMatrix& traffic,
                              std::span<const double> busiest_part) const {
  return load(traffic, busiest_part).seconds();
}

std::string PredictedTime::bottleneck(const TrafficMatrix& traffic,
                                      std::span<const double> busiest_part) const {
  using Kind = detail::TrafficLoad::Kind;
  const auto [kind, position] = load(traffic, busiest_part).busiest();
  const auto percent = [](double part, double whole) {
    return fmt::format("{:.0f} %", whole > 0 ? 100 * part / whole : 0);
  };
  if (kind == Kind::controller) {
    const auto memory =
        static_cast<std::size_t>(std::ranges::find(memories_, position) - memories_.begin());
    return fmt::format("all wait most for the memory of node {}, which serves {} of all",
                       links_.memories[position].value,
                       percent(traffic.of_memory(memory), traffic.all()));
  }
  if (kind == Kind::port)
    return fmt::format("the links of node {} are what holds up most: {} of all is remote",
                       links_.places[position].value,
                       percent(traffic.all() - traffic.local(), traffic.all()));
  const auto node =
      static_cast<std::size_t>(std::ranges::find(places_, position) - places_.begin());
  const double own = traffic.of_threads(node);
  return fmt::format(
      "a thread of node {} waits longest: {} of what that node's threads use is remote",
      links_.places[position].value, percent(own - traffic.at(node, node), own));
}

}  // namespace Atoll::profile
