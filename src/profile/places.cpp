// Places of threads.
#include "profile/places.hpp"

#include <algorithm>
#include <set>

namespace Atoll::profile {
namespace {

/// An initiator's own memory, or the nearest one where it has none.
NodeId home_memory(const Machine& machine, NodeId initiator) {
  return machine.has_memory(initiator) ? initiator
                                       : machine.order(initiator, Ordering::latency).front();
}

int threads_of(const Profile& profile) {
  return std::max(1, static_cast<int>(profile.recording.threads.size()));
}

}  // namespace

Places places_on(const Machine& machine, const ThreadPlaces& places) {
  std::set<NodeId> homes;
  for (const NodeId initiator : machine.initiators()) homes.insert(home_memory(machine, initiator));
  Places result{.nodes = {homes.begin(), homes.end()}};
  for (const ThreadPlace& place : places) {
    const auto found = std::ranges::lower_bound(result.nodes, home_memory(machine, place.node));
    result.nodes_of_threads.push_back(static_cast<std::uint32_t>(found - result.nodes.begin()));
    result.pus_of_threads.push_back(place.pu);
  }
  return result;
}

Places places_of(const Profile& profile, const Machine& machine) {
  ThreadPlaces places = spread_places(machine, threads_of(profile));
  bool recorded = false;
  if (!profile.machine.empty() && recorded_on(profile, machine))
    for (const trace::Thread& thread : profile.recording.threads) {
      const auto unit = std::ranges::find(machine.processors(), thread.pu, &Processor::os_index);
      if (thread.pu < 0 || unit == machine.processors().end()) continue;
      places[thread.id] = {.pu = thread.pu, .node = unit->node};
      recorded = true;
    }
  Places result = places_on(machine, places);
  result.recorded = recorded;
  return result;
}

Places compact_places_of(const Profile& profile, const Machine& machine) {
  ThreadPlaces places = compact_places(machine, threads_of(profile));
  std::map<int, std::size_t> position;  // of a processing unit in the place tree
  for (const Processor& processor : machine.processors())
    position.emplace(processor.os_index, position.size());
  std::ranges::stable_sort(places, {},
                           [&](const ThreadPlace& place) { return position.at(place.pu); });
  return places_on(machine, places);
}

Machine machine_to_analyse(const std::string& what) {
  Machine machine = Machine::open(what);
  if (what.empty() && machine.initiators().size() == 1) return Machine::open("xeon-x7550");
  return machine;
}

bool recorded_on(const Profile& profile, const Machine& machine) {
  if (profile.machine.empty()) return true;
  const Machine recorded = Machine::from_json(profile.machine, "the profile's machine");
  // Not by processing units or capacity: a process may be allowed a part of them.
  return recorded.name() == machine.name() && recorded.about() == machine.about() &&
         std::ranges::equal(recorded.memories(), machine.memories(), {}, &MemoryNode::id,
                            &MemoryNode::id);
}

}  // namespace Atoll::profile
