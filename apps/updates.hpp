// Additions of several threads to one array: atomic, or to private copies that are summed.
#pragma once

#include <atoll/atoll.hpp>

#include <algorithm>
#include <set>

namespace app {

/// True if private copies take less time than atomic additions, according to the figures of the
/// machine that the program sees. Each iteration makes `additions` to an array of `elements`
/// doubles.
inline bool copies_are_faster(const Atoll::Machine& machine, const Atoll::Team& team,
                              std::size_t elements, std::size_t additions) {
  using Atoll::HardwareFigure;
  const Atoll::Hardware& hardware = machine.hardware();
  const double cycle_ns = 1 / hardware[HardwareFigure::clock].value;
  const auto threads = static_cast<double>(team.places().size());
  std::set<Atoll::NodeId> nodes;
  for (const Atoll::ThreadPlace& place : team.places()) nodes.insert(place.node);
  // The cache line of an atomic addition was usually last modified by another thread.
  double transfer_ns = hardware[HardwareFigure::near_transfer].value;
  double bytes_per_ns = 0;  // total of all memories in use
  for (const Atoll::NodeId node : nodes) {
    const Atoll::NodeId memory = machine.order(node, Atoll::Ordering::latency).front();
    const Atoll::Link& link = machine.link(node, memory);
    bytes_per_ns += link.read_bytes_per_second.value / 1e9;
    if (nodes.size() > 1)
      transfer_ns = std::max(transfer_ns,
                             link.latency_ns.value + hardware[HardwareFigure::far_transfer].value);
  }
  const double each = static_cast<double>(additions) / threads;
  const double atomic_ns = each * (hardware[HardwareFigure::atomic].value * cycle_ns +
                                   transfer_ns * (threads - 1) / threads);
  // All copies are read and cleared once; a plain addition waits at most for the previous one.
  const double swept_bytes = 2 * sizeof(double) * static_cast<double>(elements) * threads;
  const double copies_ns =
      each * hardware[HardwareFigure::chain_step].value * cycle_ns + swept_bytes / bytes_per_ns;
  return copies_ns < atomic_ns;
}

/// The variants that a program times. `updates` is "atomic", "private" or "faster": times both and
/// uses the faster one. If the program is observed, or its schedule is tried, only the variant that
/// should be faster runs, because everything that runs is recorded or timed.
struct TimedUpdates {
  bool atomic = true, copies = true;
};
inline TimedUpdates timed_updates(const std::string& updates, const Atoll::Machine& machine,
                                  const Atoll::Team& team, std::size_t elements,
                                  std::size_t additions) {
  if (updates != "faster") return {updates == "atomic", updates == "private"};
  if (Atoll::process_task_observer() == nullptr && !Atoll::schedule_is_tried()) return {};
  const bool copies = copies_are_faster(machine, team, elements, additions);
  return {!copies, copies};
}

}  // namespace app
