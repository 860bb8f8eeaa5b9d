#include "simulate/network.hpp"

namespace Atoll::simulate {

Network::Network(const MachineTiming& timing)
    : timing_(&timing),
      controllers_(timing.memories),
      wires_(timing.wire.size()),
      homes_(timing.memories),
      sides_(timing.memory_side.size()),
      traffic_(std::size_t{timing.nodes} * timing.memories),
      written_(traffic_.size()),
      transferred_(std::size_t{timing.nodes} * timing.nodes),
      moving_(kMoving) {}

Ticks Network::pass(const std::vector<std::uint16_t>& route, Ticks at, LatencyBreakdown* blame) {
  const Ticks began = at;
  for (const std::uint16_t wire : route) {
    const Ticks wait = add(wires_[wire], at, timing_->wire[wire], timing_->line_bytes);
    if (blame != nullptr) blame->add(part_of_wire(wire), wait);
    at += wait;
  }
  return at - began;
}

Ticks Network::read(std::uint32_t node, const Fetch& fetch, Ticks start, LatencyBreakdown& blame) {
  if (fetch.memory_side != MemorySideResult::none) return read_through(node, fetch, start, blame);
  const std::size_t between = pair(node, fetch.home);
  const Ticks latency = timing_->latency[between];
  const Ticks half = latency / 2;  // for the request; the data takes the other half
  const Ticks service =
      fetch.row_is_open ? timing_->read_open[fetch.home] : timing_->read_closed[fetch.home];
  traffic_[between] += timing_->line_bytes;
  blame.add(timing_->is_local[between] != 0 ? kLocal : kRemote, latency);
  const Ticks waited = add(controllers_[fetch.home], start + half, service, timing_->line_bytes);
  blame.add(part_of_controller(fetch.home), waited);
  return start + latency + waited +
         pass(timing_->from_memory[between], start + half + waited, &blame);
}

Ticks Network::read_l3(std::uint32_t chip, Ticks start, LatencyBreakdown& blame) {
  Ticks ready = start + timing_->l3;
  if (timing_->l3_line > 0) {
    if (chip >= l3s_.size()) l3s_.resize(chip + 1);
    ready += add(l3s_[chip], start, timing_->l3_line, timing_->line_bytes);
  }
  blame.add(kL3, ready - start);
  return ready;
}

Ticks Network::transfer(std::uint32_t node, const Fetch& fetch, Ticks start,
                        LatencyBreakdown& blame) {
  const std::size_t between = pair(node, fetch.home);
  const Ticks latency = timing_->latency[between] + timing_->far_cache;
  const Ticks half = timing_->latency[between] / 2;
  const Ticks waited = add(homes_[fetch.home], start + half, timing_->home_busy, 0);
  blame.add(kCoherence, latency + waited);
  const std::size_t nodes = std::size_t{node} * timing_->nodes + fetch.holder;
  transferred_[nodes] += timing_->line_bytes;
  const auto& route = timing_->from_node[nodes];
  return start + latency + waited + pass(route, start + half + waited, &blame);
}

Ticks Network::upgrade(std::uint32_t node, std::uint16_t home, Ticks start,
                       LatencyBreakdown& blame) {
  const Ticks latency = timing_->latency[pair(node, home)];
  const Ticks waited = add(homes_[home], start + latency / 2, timing_->home_busy, 0);
  blame.add(kCoherence, latency + waited);
  return start + latency + waited;
}

void Network::write_back(std::uint32_t node, const Fetch& fetch, Ticks start) {
  const std::size_t between = pair(node, fetch.home);
  const Ticks half = timing_->latency[between] / 2;
  traffic_[between] += timing_->line_bytes;
  written_[between] += timing_->line_bytes;
  const Ticks waited = pass(timing_->to_memory[between], start, nullptr);
  if (fetch.memory_side != MemorySideResult::none)
    return write_through(fetch, start + half + waited);
  add(controllers_[fetch.home], start + half + waited,
      fetch.row_is_open ? timing_->write_open[fetch.home] : timing_->write_closed[fetch.home],
      timing_->line_bytes);
}

void Network::finish() {
  for (auto* const queues : {&controllers_, &wires_, &homes_, &l3s_, &sides_})
    for (Queue& queue : *queues) queue.finish();
}

}  // namespace Atoll::simulate
