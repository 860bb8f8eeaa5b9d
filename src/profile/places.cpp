// Computes the places of threads.
#include "profile/places.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>

#include "atoll/machine/os_places.hpp"
#include "recording/pages/memory_policy.hpp"

namespace Atoll::profile {
namespace {

/// Returns an initiator's own memory, or the nearest one if it has none.
NodeId home_memory(const Machine& machine, NodeId initiator) {
  return machine.has_memory(initiator) ? initiator
                                       : machine.order(initiator, Ordering::latency).front();
}

/// Returns a slot for each thread: the lowest number that is free when the thread starts. A slot
/// becomes free when its thread is joined. So workers that are created together have different
/// slots however soon they end, and the workers of each phase reuse the slots of the previous
/// phase.
std::vector<std::size_t> slots_of(const recording::Recording& run) {
  std::vector<std::size_t> slots(run.threads.size());
  std::set<std::size_t> free;
  using Leaving = std::pair<std::uint64_t, std::size_t>;
  std::priority_queue<Leaving, std::vector<Leaving>, std::greater<>> leavings;
  std::size_t used = 0;
  for (const recording::Thread& thread : run.threads) {  // in the order of their creation
    for (; !leavings.empty() && leavings.top().first <= thread.started_ns; leavings.pop())
      free.insert(leavings.top().second);
    if (free.empty()) free.insert(used++);
    const std::size_t slot = free.extract(free.begin()).value();
    slots[thread.id] = slot;
    if (thread.joined_ns > 0) leavings.emplace(thread.joined_ns, slot);  // else never free
  }
  return slots;
}

/// Returns by thread the place that `places_for` has for its slot.
template <class PlacesFor>
ThreadPlaces by_thread(const Profile& profile, PlacesFor&& places_for) {
  const std::vector<std::size_t> slots = slots_of(profile.recording);
  const std::size_t count = slots.empty() ? 1 : std::ranges::max(slots) + 1;
  const ThreadPlaces of_slots = places_for(static_cast<int>(count));
  ThreadPlaces places;
  for (const std::size_t slot : slots) places.push_back(of_slots[slot]);
  return places;
}

/// Maps a recording's homes to nodes of the machine.
void add_homes(const recording::Recording& run, const Machine& machine, Places& places) {
  std::vector<NodeId> memories;
  for (const MemoryNode& memory : machine.memories()) memories.push_back(memory.id);
  // A memory without processing units counts for the memory next to the nearest ones.
  const auto node_of = [&](std::uint16_t memory) {
    const NodeId home = home_memory(machine, machine.nearest_initiator(memories[memory]));
    return static_cast<std::uint32_t>(std::ranges::lower_bound(places.nodes, home) -
                                      places.nodes.begin());
  };
  std::vector<std::uint32_t> all(places.nodes.size());
  std::iota(all.begin(), all.end(), 0U);
  for (const recording::PageHome& of : run.homes) {
    Places::Home& home = places.homes.emplace_back();
    if (of.thread == recording::kNone) {
      home.is_known = false;
      home.turn = all;
      continue;
    }
    home.thread = of.thread;
    home.near = all;
    if (of.policy == recording::kNone) continue;
    const recording::MemoryPolicy& policy = run.policies[of.policy];
    const recording::PagePolicy asked = recording::asked_by(policy.mode, policy.nodes, memories);
    if (asked.how == recording::PagePolicy::How::in_turn)
      for (const std::uint16_t memory : asked.memories) home.turn.push_back(node_of(memory));
    for (std::uint32_t at = 0; at < places.nodes.size(); ++at) {
      const NodeId from = machine.nearest_initiator(places.nodes[at]);
      const auto own = recording::position_of(memories, places.nodes[at].value);
      const auto wanted = recording::memory_for_page(
          asked, 0, *own, recording::nearest_first(machine, from, memories));
      if (wanted) home.near[at] = node_of(*wanted);
    }
  }
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
  ThreadPlaces places = by_thread(profile, [&](int slots) { return os_places(machine, slots); });
  bool recorded = false;
  if (!profile.machine.empty() && recorded_on(profile, machine))
    for (const recording::Thread& thread : profile.recording.threads) {
      const auto unit = std::ranges::find(machine.processors(), thread.pu, &Processor::os_index);
      if (thread.pu < 0 || unit == machine.processors().end()) continue;
      places[thread.id] = {.pu = thread.pu, .node = unit->node};
      recorded = true;
    }
  Places result = places_on(machine, places);
  add_homes(profile.recording, machine, result);
  result.recorded = recorded;
  return result;
}

Places compact_places_of(const Profile& profile, const Machine& machine) {
  std::map<int, std::size_t> position;  // of a processing unit in the place tree
  for (const Processor& processor : machine.processors())
    position.emplace(processor.os_index, position.size());
  Places result = places_on(machine, by_thread(profile, [&](int slots) {
                              ThreadPlaces places = compact_places(machine, slots);
                              std::ranges::stable_sort(places, {}, [&](const ThreadPlace& place) {
                                return position.at(place.pu);
                              });
                              return places;
                            }));
  add_homes(profile.recording, machine, result);
  return result;
}

Machine machine_to_analyse(const std::string& what) {
  Machine machine = Machine::open(what);
  if (what.empty() && machine.initiators().size() == 1) return Machine::open("xeon-x7550");
  return machine;
}

bool recorded_on(const Profile& profile, const Machine& machine) {
  if (profile.machine.empty()) return true;
  const Machine recorded = Machine::from_json(profile.machine, "the profile's machine");
  // Processing units and capacities aren't compared: a process may be restricted to a part of them.
  return recorded.name() == machine.name() && recorded.about() == machine.about() &&
         std::ranges::equal(recorded.memories(), machine.memories(), {}, &MemoryNode::id,
                            &MemoryNode::id);
}

}  // namespace Atoll::profile
