// Checks a machine's figures on construction; lookups and orderings.
#include "atoll/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "atoll/base/error.hpp"
#include "machine/check.hpp"
#include "machine/node_set.hpp"

namespace Atoll {
namespace {

std::string all_nodes(std::span<const MemoryNode> memories) {
  std::vector<NodeId> nodes;
  for (const MemoryNode& memory : memories) nodes.push_back(memory.id);
  return "memories are " + detail::format_nodes(nodes);
}

// Returns the end of `memories` if `id` isn't found.
auto find_memory(std::span<const MemoryNode> memories, NodeId id) {
  const auto found =
      std::lower_bound(memories.begin(), memories.end(), id,
                       [](const MemoryNode& memory, NodeId node) { return memory.id < node; });
  return found != memories.end() && found->id == id ? found : memories.end();
}

}  // namespace

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::measured:
      return "measured";
    case Origin::firmware:
      return "firmware";
    case Origin::datasheet:
      return "datasheet";
    case Origin::paper:
      return "paper";
    case Origin::estimated:
      return "estimated";
    case Origin::user:
      return "user";
  }
  return "?";
}

std::string_view to_string(Ordering ordering) {
  switch (ordering) {
    case Ordering::latency:
      return "latency";
    case Ordering::bandwidth:
      return "bandwidth";
    case Ordering::capacity:
      return "capacity";
  }
  return "?";
}

Machine::Machine(Data data, std::string_view where)
    : Machine([&] {
        if (const auto found = detail::find_contradiction(data))
          throw Error::input(where, fmt::format("{}: {}", to_string(found->subject), found->what),
                             found->way_out);
        return std::move(data);
      }()) {}

Machine::Machine(Data&& checked) : data_(std::make_shared<const Data>(std::move(checked))) {
  std::set<NodeId> nodes;
  for (const Processor& processor : data_->processors) nodes.insert(processor.node);
  initiators_.assign(nodes.begin(), nodes.end());
  for (const auto& [pair, link] : data_->links) links_.push_back(&link);  // all pairs, ascending
}

const MemoryNode& Machine::memory(NodeId id) const {
  const auto found = find_memory(memories(), id);
  if (found == memories().end())
    throw Error::input(name(), fmt::format("no memory {}", id.value), all_nodes(memories()));
  return *found;
}

bool Machine::has_memory(NodeId id) const {
  return find_memory(memories(), id) != memories().end();
}

std::span<const Link* const> Machine::links_from(NodeId initiator) const {
  const auto row = std::lower_bound(initiators_.begin(), initiators_.end(), initiator);
  if (row == initiators_.end() || *row != initiator) return {};
  return std::span(links_).subspan(
      static_cast<std::size_t>(row - initiators_.begin()) * memories().size(), memories().size());
}

const Link& Machine::link(NodeId initiator, NodeId target) const {
  const auto row = links_from(initiator);
  const auto column = find_memory(memories(), target);
  if (row.empty() || column == memories().end())
    throw Error::input(name(), fmt::format("no link from {} to {}", initiator.value, target.value),
                       fmt::format("processing units belong to {}; {}",
                                   detail::format_nodes(initiators()), all_nodes(memories())));
  return *row[static_cast<std::size_t>(column - memories().begin())];
}

NodeId Machine::nearest_initiator(NodeId target) const {
  const std::vector<NodeId>& nodes = initiators();
  if (std::binary_search(nodes.begin(), nodes.end(), target)) return target;
  return *std::min_element(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
    const Link& from_a = link(a, target);
    const Link& from_b = link(b, target);
    return std::tuple(from_a.latency_ns.value, from_a.distance, a) <
           std::tuple(from_b.latency_ns.value, from_b.distance, b);
  });
}

std::vector<NodeId> Machine::order(NodeId initiator, Ordering ordering) const {
  const auto by_hand = data_->orders_by_hand.find({initiator, ordering});
  if (by_hand != data_->orders_by_hand.end()) return by_hand->second;
  std::vector<std::tuple<double, double, NodeId>> ranked;  // the smallest tuple is the best
  const auto row = links_from(initiator);
  if (row.empty()) static_cast<void>(link(initiator, memories().front().id));  // throws
  for (std::size_t i = 0; i < row.size(); ++i) {
    const MemoryNode& memory = memories()[i];
    const Link& to = *row[i];
    const double rank = ordering == Ordering::latency ? to.latency_ns.value
                        : ordering == Ordering::bandwidth
                            ? -to.read_bytes_per_second.value
                            : -static_cast<double>(memory.capacity_bytes);
    ranked.emplace_back(rank, to.distance, memory.id);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<NodeId> nodes;
  nodes.reserve(ranked.size());
  for (const auto& [rank, distance, node] : ranked) nodes.push_back(node);
  return nodes;
}

bool Machine::order_is_by_hand(NodeId initiator, Ordering ordering) const {
  return data_->orders_by_hand.contains({initiator, ordering});
}

}  // namespace Atoll
