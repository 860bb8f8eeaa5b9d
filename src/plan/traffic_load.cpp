// Sums the busy times of waiting threads, memories' controllers and places' ports:
// docs/cost-model.md.
#include "plan/traffic_load.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace Atoll::detail {
namespace {

double max_of(const std::vector<double>& values) {
  return *std::ranges::max_element(values);
}

}  // namespace

// Each link is looked up once, since large machines have many.
MachineLinks::MachineLinks(const Machine& machine) : places(machine.initiators()) {
  std::ranges::transform(machine.memories(), std::back_inserter(memories), &MemoryNode::id);
  for (const NodeId memory : memories)
    beside.push_back(place_of(machine.nearest_initiator(memory)));
  controller_read_seconds.assign(memories.size(), INFINITY);
  controller_write_seconds.assign(memories.size(), INFINITY);
  latency_seconds.resize(places.size());
  read_seconds.resize(places.size());
  write_seconds.resize(places.size());
  for (std::size_t p = 0; p < places.size(); ++p) {
    double least_distance = INFINITY;
    std::vector<std::size_t> neighbours;  // the other places at the least distance
    for (std::size_t m = 0; m < memories.size(); ++m) {
      const Link& link = machine.link(places[p], memories[m]);
      latency_seconds[p].push_back(link.latency_ns.value * 1e-9);
      read_seconds[p].push_back(1 / link.read_bytes_per_second.value);
      write_seconds[p].push_back(1 / link.write_bytes_per_second.value);
      controller_read_seconds[m] = std::min(controller_read_seconds[m], read_seconds[p][m]);
      controller_write_seconds[m] = std::min(controller_write_seconds[m], write_seconds[p][m]);
      if (beside[m] == p || link.distance > least_distance) continue;
      if (link.distance < least_distance) neighbours.clear();
      least_distance = link.distance;
      if (std::ranges::find(neighbours, beside[m]) == neighbours.end())
        neighbours.push_back(beside[m]);
    }
    links.push_back(std::clamp(static_cast<double>(neighbours.size()), 1.0, kMaxLinks));
  }
}

std::size_t MachineLinks::place_of(NodeId initiator) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(places, initiator) - places.begin());
}

std::size_t MachineLinks::memory_index(NodeId memory) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(memories, memory) - memories.begin());
}

TrafficLoad::TrafficLoad(const MachineLinks& of)
    : links_(&of),
      threads_(of.places.size()),
      controllers_(of.memories.size()),
      into_(of.places.size()),
      out_of_(of.places.size()) {}

void TrafficLoad::add(std::size_t place, std::size_t memory, double read, double written,
                      double waits) {
  threads_[place] += waits * links_->latency_seconds[place][memory];
  controllers_[memory] += read * links_->controller_read_seconds[memory] +
                          written * links_->controller_write_seconds[memory];
  const std::size_t beside = links_->beside[memory];
  if (beside == place) return;
  const double reading = read * links_->read_seconds[place][memory];
  const double writing = written * links_->write_seconds[place][memory];
  into_[place] += reading;
  out_of_[beside] += reading;
  out_of_[place] += writing;
  into_[beside] += writing;
}

double TrafficLoad::port_seconds(std::size_t place) const {
  return std::max(into_[place], out_of_[place]) / links_->links[place];
}

double TrafficLoad::seconds() const {
  double ports = 0;
  for (std::size_t p = 0; p < into_.size(); ++p) ports = std::max(ports, port_seconds(p));
  double sum = 0;
  for (const double kind : {max_of(threads_), max_of(controllers_), ports})
    sum += std::pow(kind, kSharpness);
  return std::pow(sum, 1 / kSharpness);
}

std::pair<TrafficLoad::Kind, std::size_t> TrafficLoad::busiest() const {
  std::pair<Kind, std::size_t> found{Kind::threads, 0};
  double most = 0;
  const auto look = [&](Kind kind, std::size_t position, double seconds) {
    if (seconds <= most) return;
    most = seconds;
    found = {kind, position};
  };
  for (std::size_t p = 0; p < threads_.size(); ++p) look(Kind::threads, p, threads_[p]);
  for (std::size_t m = 0; m < controllers_.size(); ++m) look(Kind::controller, m, controllers_[m]);
  for (std::size_t p = 0; p < into_.size(); ++p) look(Kind::port, p, port_seconds(p));
  return found;
}

}  // namespace Atoll::detail
