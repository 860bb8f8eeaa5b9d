// Finds contradictions in a machine's data. Each part has its own function; the first exception
// ends the search.
#include "machine/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "machine/memory_side_file.hpp"
#include "machine/node_set.hpp"
#include "machine/place_tree.hpp"
#include "machine/routes.hpp"

namespace Atoll::detail {
namespace {

using Part = Subject::Part;
using Data = Machine::Data;

[[noreturn]] void contradict(Subject subject, std::string what, std::string way_out) {
  throw Contradiction{subject, std::move(what), std::move(way_out)};
}

Subject memory_subject(NodeId node) {
  return {.part = Part::memory, .target = node};
}

bool is_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

void check_name(const Data& data) {
  if (data.name.empty() || !is_line(data.name) || !is_line(data.about))
    contradict({.part = Part::name}, "name and about must be one line of text each",
               "name the machine");
}

void check_places(const Data& data) {
  const Subject subject{.part = Part::places};
  if (data.root.kind != PlaceKind::machine)
    contradict(subject, "the outermost place must be the machine", "begin with it");
  Place numbered = data.root;
  number_places(numbered);
  if (numbered != data.root)
    contradict(subject, "places of a kind must be numbered from 0 in their order", "number them");
  walk(data.root, [&](const Place& place, const Path& path) {
    const auto name = fmt::format("{} {}", to_string(place.kind), place.index);
    if (!path.empty() && !may_hold(path.back()->kind, place.kind))
      contradict(subject, fmt::format("{} lies in a {}", name, to_string(path.back()->kind)),
                 "from the outside in: group, package, numa, l3, l2, l1, core, pu");
    if (place.kind == PlaceKind::numa &&
        std::any_of(path.begin(), path.end(),
                    [](const Place* around) { return around->kind == PlaceKind::numa; }))
      contradict(subject, fmt::format("{} lies in another numa place", name), "take one away");
    if (place.kind == PlaceKind::pu && (!place.children.empty() || !place.memories.empty()))
      contradict(subject, fmt::format("{} holds places or memories", name),
                 "end each branch with pu, attach memories further out");
    if (place.kind != PlaceKind::pu && place.children.empty())
      contradict(subject, fmt::format("{} has no processing unit", name),
                 "end each branch with pu");
    const bool has_number = place.kind == PlaceKind::pu || place.kind == PlaceKind::package;
    if (has_number ? place.os_index < 0 : place.os_index != -1)
      contradict(subject, fmt::format("{} has the system's number {}", name, place.os_index),
                 "processing units and packages have one, others have not: -1");
    if (place.cache_bytes > 0 && (place.kind < PlaceKind::l3 || place.kind > PlaceKind::l1))
      contradict(subject, fmt::format("{} has a cache's size", name), "only l1, l2 and l3 have");
    if (!std::is_sorted(place.memories.begin(), place.memories.end()))
      contradict(subject, fmt::format("the memories of {} must ascend", name), "sort them");
  });
}

void check_processors(const Data& data) {
  const Subject subject{.part = Part::processors};
  if (data.processors.empty())
    contradict(subject, "no processing units", "a machine has at least one");
  if (data.processors.size() > kMaxProcessors)
    contradict(subject, fmt::format("{} processing units", data.processors.size()),
               fmt::format("no more than {}", kMaxProcessors));
  std::set<int> seen;
  for (const Processor& processor : data.processors) {
    if (!seen.insert(processor.os_index).second)
      contradict(subject, fmt::format("processing unit {} is there twice", processor.os_index),
                 "give each its own number");
  }
  // The list of processing units must agree with the tree.
  auto listed = data.processors.begin();
  const std::vector<Processor> in_tree = list_processors(data.root, [&](const Place&,
                                                                        const Path& path) {
    if (listed == data.processors.end()) return NodeId{};
    const NodeId node = (listed++)->node;
    for (const MemoryNode& memory : data.memories) {
      if (memory.id != node) continue;
      if (std::none_of(path.begin(), path.end(), [&](const Place* place) {
            return std::find(place->memories.begin(), place->memories.end(), node) !=
                   place->memories.end();
          }))
        contradict({.part = Part::initiators},
                   fmt::format("processing unit {} belongs to node {}, whose memory is elsewhere",
                               std::prev(listed)->os_index, node.value),
                   "attach the memory around its processing units");
    }
    return node;
  });
  if (in_tree != data.processors)
    contradict(subject, "the processing units are not those of the places",
               "list them in the order of the places, with their cores and packages");
}

void check_memories(const Data& data) {
  if (data.memories.empty())
    contradict({.part = Part::memory}, "no memory", "a machine has at least one");
  static const std::set<std::string_view> tiers{"dram", "hbm", "cxl", "pmem", "gpu"};
  for (std::size_t i = 0; i < data.memories.size(); ++i) {
    const MemoryNode& memory = data.memories[i];
    const Subject subject = memory_subject(memory.id);
    if (i > 0 && !(data.memories[i - 1].id < memory.id))
      contradict(subject, "is there twice, or after a greater number", "list each once, ascending");
    if (memory.id.value >= kMaxNodes)
      contradict(subject, "is beyond the numbers of nodes",
                 fmt::format("at most {}", kMaxNodes - 1));
    if (!tiers.contains(memory.tier))
      contradict(subject, fmt::format("'{}' is not a tier", memory.tier),
                 "one of dram, hbm, cxl, pmem, gpu");
    if (memory.capacity_bytes > kMaxBytes)
      contradict(subject, "is greater than any processor can address", "at most 4 PiB");
    const bool known = memory.capacity_bytes > 0;
    if (known && memory.free_bytes > memory.capacity_bytes)
      contradict(subject, "has more free than its capacity", "at most the capacity");
    if (known && pool_bytes(memory) > memory.capacity_bytes)
      contradict(subject, "has pools of pages beyond its capacity", "at most the capacity");
    if (!is_line(memory.source.text))
      contradict(subject, "its source is not one line of text", "write one line");
  }
  std::set<NodeId> attached;
  walk(data.root, [&](const Place& place, const Path&) {
    for (const NodeId node : place.memories)
      if (!attached.insert(node).second)
        contradict(memory_subject(node), "is attached to two places", "attach it to one");
  });
  for (const MemoryNode& memory : data.memories)
    if (attached.erase(memory.id) == 0)
      contradict(memory_subject(memory.id), "is attached to no place",
                 "attach it to the place around all processing units that are equally near");
  if (!attached.empty())
    contradict(memory_subject(*attached.begin()),
               "is attached to a place, but there is no such memory",
               "describe it or leave it out");
}

void check_caches(const Data& data) {
  const Subject subject{.part = Part::caches};
  const CacheFigures& caches = data.caches;
  if (!is_line_size(caches.line_bytes))
    contradict(subject, fmt::format("a cache line of {} bytes", caches.line_bytes),
               "a power of two from 8 to 4096");
  if (caches.l3_shared_by < 1)
    contradict(subject, "an L3 that no processing unit shares", "at least 1");
  // If the tree shows caches of a level, a known figure must equal the size of one of them.
  const std::pair<PlaceKind, std::uint64_t> levels[] = {{PlaceKind::l1, caches.l1_bytes},
                                                        {PlaceKind::l2, caches.l2_bytes},
                                                        {PlaceKind::l3, caches.l3_bytes}};
  for (const auto& [kind, bytes] : levels) {
    std::set<std::uint64_t> sizes;
    walk(data.root, [&, wanted = kind](const Place& place, const Path&) {
      if (place.kind == wanted) sizes.insert(place.cache_bytes);
    });
    if (bytes > 0 && !sizes.empty() && !sizes.contains(bytes))
      contradict(subject, fmt::format("no {} of the places has {} bytes", to_string(kind), bytes),
                 "leave it out: it is taken from the places");
  }
  std::set<int> sharers;
  walk(data.root, [&](const Place& place, const Path&) {
    if (place.kind != PlaceKind::l3) return;
    int units = 0;
    walk(place, [&](const Place& below, const Path&) { units += below.kind == PlaceKind::pu; });
    sharers.insert(units);
  });
  if (caches.l3_shared_by > 1 && !sharers.empty() && !sharers.contains(caches.l3_shared_by))
    contradict(subject, fmt::format("no l3 of the places is shared by {}", caches.l3_shared_by),
               "leave it out: it is taken from the places");
}

bool is_claim(const Figure& figure) {
  return figure.source.origin != Origin::measured && figure.source.origin != Origin::firmware;
}

const Figure* figure_of(const Link& link, LinkField field) {
  switch (field) {
    case LinkField::latency:
      return &link.latency_ns;
    case LinkField::read:
      return &link.read_bytes_per_second;
    case LinkField::write:
      return &link.write_bytes_per_second;
    case LinkField::distance:
    case LinkField::by_threads:
      break;
  }
  return nullptr;
}

void check_figure(const Subject& subject, const Figure& figure) {
  if (!std::isfinite(figure.value) || figure.value <= 0)
    contradict(subject, fmt::format("{} is not above 0", figure.value), "write a positive figure");
  if (!is_line(figure.source.text))
    contradict(subject, "its source is not one line of text", "write one line");
}

void check_by_threads(NodeId from, NodeId to, const std::vector<ThreadsBandwidth>& rows) {
  const Subject subject{
      .part = Part::link, .initiator = from, .target = to, .field = LinkField::by_threads};
  int before = 0;
  for (const ThreadsBandwidth& row : rows) {
    if (row.threads <= before)
      contradict(subject, fmt::format("{} threads after {}", row.threads, before),
                 "one row for each count, ascending from 1");
    before = row.threads;
    for (const Figure* figure :
         {&row.read_bytes_per_second, &row.write_bytes_per_second, &row.copy_bytes_per_second})
      check_figure(subject, *figure);
  }
}

void check_link(NodeId from, NodeId to, const Link& link) {
  Subject subject{.part = Part::link, .initiator = from, .target = to};
  for (const LinkField field : kLinkFields) {
    subject.field = field;
    if (const Figure* figure = figure_of(link, field)) {
      check_figure(subject, *figure);
    } else if (field == LinkField::by_threads) {
      check_by_threads(from, to, link.by_threads);
    } else if (from == to ? link.distance != 10 : !(link.distance > 10 && link.distance <= 255)) {
      contradict(subject, fmt::format("a distance of {}", link.distance),
                 from == to ? "a node's distance to itself is 10" : "above 10, at most 255");
    }
  }
}

/// A node's own memory must be the nearest of its tier, unless measurements contradict.
void check_against_own(NodeId from, const Figure& own, NodeId to, const Figure& other) {
  if (other.value < own.value && is_claim(own) && is_claim(other))
    contradict({.part = Part::link, .initiator = from, .target = from},
               fmt::format("{} ns is slower than the {} ns to memory {} of the same tier",
                           own.value, other.value, to.value),
               "a node's own memory is the nearest of its tier; were they exchanged?");
}

void check_links(const Data& data) {
  std::set<NodeId> initiators;
  for (const Processor& processor : data.processors) initiators.insert(processor.node);
  // The links and the expected pairs are both in ascending order.
  auto next = data.links.begin();
  for (const NodeId from : initiators) {
    if (from.value >= kMaxNodes)
      contradict({.part = Part::initiators},
                 fmt::format("node {} is beyond the numbers of nodes", from.value),
                 fmt::format("at most {}", kMaxNodes - 1));
    const auto own = data.links.find({from, from});
    const auto own_memory =
        std::find_if(data.memories.begin(), data.memories.end(),
                     [&](const MemoryNode& memory) { return memory.id == from; });
    for (const MemoryNode& memory : data.memories) {
      const std::pair expected(from, memory.id);
      if (next != data.links.end() && next->first < expected)
        break;  // the map has an extra pair, which is reported below
      if (next == data.links.end() || expected < next->first)
        contradict({.part = Part::link, .initiator = from, .target = memory.id}, "is missing",
                   "give the figures of every initiator and memory");
      check_link(from, memory.id, next->second);
      if (own != data.links.end() && own_memory != data.memories.end() &&
          own_memory->tier == memory.tier)
        check_against_own(from, own->second.latency_ns, memory.id, next->second.latency_ns);
      ++next;
    }
  }
  if (next != data.links.end())
    contradict({.part = Part::link, .initiator = next->first.first, .target = next->first.second},
               "there is no such initiator or no such memory", "leave it out");
}

void check_orders(const Data& data) {
  std::set<NodeId> initiators;
  for (const Processor& processor : data.processors) initiators.insert(processor.node);
  std::vector<NodeId> all;
  all.reserve(data.memories.size());
  for (const MemoryNode& memory : data.memories) all.push_back(memory.id);
  for (const auto& [key, order] : data.orders_by_hand) {
    const Subject subject{.part = Part::order, .initiator = key.first, .ordering = key.second};
    if (!initiators.contains(key.first))
      contradict(subject, fmt::format("node {} has no processing units", key.first.value),
                 "order from the nodes that have");
    std::vector<NodeId> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      contradict(subject, fmt::format("lists memory {} twice", twice->value), "list each once");
    for (const NodeId node : sorted)
      if (!std::binary_search(all.begin(), all.end(), node))
        contradict(subject, fmt::format("there is no memory {}", node.value),
                   "memories are " + format_nodes(all));
    for (const NodeId node : all)
      if (!std::binary_search(sorted.begin(), sorted.end(), node))
        contradict(subject, fmt::format("misses memory {}", node.value), "list every memory once");
  }
}

template <class Checks>
std::optional<Contradiction> first_of(const Checks& checks) {
  try {
    checks();
  } catch (const Contradiction& found) {
    return found;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(LinkField field) {
  switch (field) {
    case LinkField::latency:
      return "latency";
    case LinkField::read:
      return "read";
    case LinkField::write:
      return "write";
    case LinkField::distance:
      return "distance";
    case LinkField::by_threads:
      return "by_threads";
  }
  return "?";
}

std::string to_string(const Subject& subject) {
  switch (subject.part) {
    case Part::name:
      return "name";
    case Part::places:
      return "places";
    case Part::processors:
      return "processing units";
    case Part::initiators:
      return "initiators";
    case Part::caches:
      return "caches";
    case Part::memory:
      return fmt::format("memory {}", subject.target.value);
    case Part::link:
      return fmt::format("{} from {} to {}", to_string(subject.field), subject.initiator.value,
                         subject.target.value);
    case Part::order:
      return fmt::format("{} order from {}", Atoll::to_string(subject.ordering),
                         subject.initiator.value);
    case Part::wires:
      return "wires";
    case Part::memory_side:
      return "memory-side cache";
  }
  return "?";
}

std::optional<Contradiction> find_contradiction_in_parts(const Machine::Data& data) {
  return first_of([&] {
    check_name(data);
    check_places(data);
    check_processors(data);
    check_memories(data);
    check_caches(data);
  });
}

std::optional<Contradiction> find_contradiction(const Machine::Data& data) {
  if (auto found = find_contradiction_in_parts(data)) return found;
  return first_of([&] {
    check_links(data);
    check_orders(data);
    if (const auto wrong = find_wrong_wire(data))
      contradict({.part = Part::wires}, *wrong, "wires join all nodes, each as wide as its links");
    if (const auto wrong = find_wrong_memory_side(data))
      contradict({.part = Part::memory_side}, wrong->first, wrong->second);
  });
}

}  // namespace Atoll::detail
