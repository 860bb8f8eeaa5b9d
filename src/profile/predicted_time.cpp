// Computes the model's terms. Threads of one core share its lines in flight. A written line costs
// as much as a plain store, which reads the line first.
#include "profile/predicted_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "atoll/recording/recording.hpp"

namespace Atoll::profile {

TrafficMatrix& TrafficMatrix::operator+=(const TrafficMatrix& other) {
  std::ranges::transform(cells_, other.cells_, cells_.begin(), std::plus{});
  return *this;
}

TrafficMatrix& TrafficMatrix::operator-=(const TrafficMatrix& other) {
  std::ranges::transform(cells_, other.cells_, cells_.begin(), std::minus{});
  return *this;
}

PhasedTraffic& PhasedTraffic::operator+=(const PhasedTraffic& other) {
  std::ranges::transform(cells_, other.cells_, cells_.begin(), std::plus{});
  return *this;
}

PhasedTraffic& PhasedTraffic::operator-=(const PhasedTraffic& other) {
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
    : links_(machine),
      line_bytes_(static_cast<double>(recording::kLineBytes)),
      closed_row_(1 / machine.hardware()[HardwareFigure::closed_row_share].value - 1),
      home_busy_(machine.hardware()[HardwareFigure::home_busy].value * 1e-9) {
  for (const NodeId node : nodes) {
    places_.push_back(links_.place_of(machine.nearest_initiator(node)));
    memories_.push_back(links_.memory_index(node));
    std::set<int> cores;
    for (const Processor& processor : machine.processors())
      if (processor.node == links_.places[places_.back()]) cores.insert(processor.core);
    of_a_core_.push_back(1 / static_cast<double>(std::max<std::size_t>(1, cores.size())));
  }
}

detail::TrafficLoad PredictedTime::load(const PhasedTraffic& traffic, const MemoryTraffic& of,
                                        std::size_t phase, const TimeScales& scales) const {
  detail::TrafficLoad load(links_);
  for (std::size_t node = 0; node < of.nodes; ++node) {
    const double part = std::max(of.busiest_part[phase][node], of_a_core_[node]);
    load.add_work(places_[node],
                  scales.work * (of.work[phase][node] + part * traffic.seconds(phase, node)));
    for (std::size_t memory = 0; memory < of.nodes; ++memory) {
      const double lines = traffic.lines(phase, node, memory);
      if (traffic.waits(phase, node, memory) == 0) continue;
      const double written = traffic.written(phase, node, memory);
      const double bytes = line_bytes_ / scales.bandwidth;
      load.add(places_[node], memories_[memory], (lines - written) * bytes, written * bytes,
               traffic.waits(phase, node, memory) * part * scales.waits);
      load.add_queue(memories_[memory], traffic.random(phase, node, memory) * bytes * closed_row_,
                     traffic.moved(phase, node, memory) * home_busy_);
    }
  }
  return load;
}

std::vector<double> PredictedTime::by_phase(const PhasedTraffic& traffic, const MemoryTraffic& of,
                                            const TimeScales& scales) const {
  std::vector<double> seconds;
  for (std::size_t phase = 0; phase < of.phases; ++phase)
    seconds.push_back(load(traffic, of, phase, scales).seconds());
  return seconds;
}

double PredictedTime::seconds(const PhasedTraffic& traffic, const MemoryTraffic& of,
                              const TimeScales& scales) const {
  double sum = 0;
  for (const double phase : by_phase(traffic, of, scales)) sum += phase;
  return sum;
}

std::string PredictedTime::bottleneck(const PhasedTraffic& phased, const MemoryTraffic& of) const {
  const std::vector<double> seconds = by_phase(phased, of);
  const auto phase = static_cast<std::size_t>(std::ranges::max_element(seconds) - seconds.begin());
  TrafficMatrix traffic(of.nodes);
  for (std::size_t node = 0; node < of.nodes; ++node)
    for (std::size_t memory = 0; memory < of.nodes; ++memory)
      traffic.add(node, memory,
                  phased.lines(phase, node, memory) + phased.moved(phase, node, memory));
  using Kind = detail::TrafficLoad::Kind;
  const auto [kind, position] = load(phased, of, phase, {}).busiest();
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
