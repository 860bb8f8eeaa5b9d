// Writes machine files that are as compact as hand-written ones: equal siblings, memories and links
// are merged into one entry each.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/json_text.hpp"
#include "machine/file_places.hpp"
#include "machine/hardware_file.hpp"
#include "machine/machine_file.hpp"
#include "machine/memory_side_file.hpp"
#include "machine/node_set.hpp"
#include "machine/quantity.hpp"

namespace Atoll {
namespace detail {
namespace {

class FileWriter {
 public:
  FileWriter(const Machine::Data& data, std::vector<NodeId> initiators)
      : data_(data), initiators_(std::move(initiators)) {
    for (const MemoryNode& memory : data.memories) targets_.push_back(memory.id);
  }

  Json write() {
    // The parts that refer to sources are written first, so that all sources are known when
    // 'sources' is written.
    const Json memories = write_memories();
    const Json links = write_links();
    const auto key = [this](const Source& source) { return source_key(source); };
    const Json hardware = write_hardware(data_.hardware, key);
    const Json wires = write_wires(data_.hardware, key);
    const Json memory_side = write_memory_side(data_.hardware, key);
    Json file;
    file[kVersionKey] = kVersion;
    file["name"] = data_.name;
    if (!data_.about.empty()) file["about"] = data_.about;
    file["sources"] = sources_;
    file["places"] = write_places(data_.root);
    write_numbers(data_.root, file);
    if (Json caches = write_caches(); !caches.empty()) file["caches"] = std::move(caches);
    file["memories"] = memories;
    if (data_.free_bytes) file["free"] = write_bytes(*data_.free_bytes);
    if (Json initiators = write_initiators(); !initiators.empty())
      file["initiators"] = std::move(initiators);
    file["links"] = links;
    if (Json orders = write_orders(); !orders.empty()) file["orders"] = std::move(orders);
    if (!hardware.empty()) file["hardware"] = hardware;
    if (!wires.empty()) file["wires"] = wires;
    if (!memory_side.empty()) file["memory_side_caches"] = memory_side;
    return file;
  }

 private:
  /// Returns the key of a source: its origin, with a number appended from the second source on.
  std::string source_key(const Source& source) {
    const auto [known, is_new] = keys_.try_emplace({source.origin, source.text});
    if (is_new) {
      const int count = ++used_[source.origin];
      known->second = std::string(to_string(source.origin));
      if (count > 1) known->second += fmt::format("-{}", count);
      sources_[known->second] = {{"origin", to_string(source.origin)}, {"text", source.text}};
    }
    return known->second;
  }

  Json write_caches() const {
    const CacheFigures from_places = caches_of(data_.root);
    const CacheFigures& caches = data_.caches;
    Json json;
    const auto size = [&](const char* key, std::uint64_t bytes, std::uint64_t implied) {
      if (bytes != implied) json[key] = write_bytes(bytes);
    };
    size("line", caches.line_bytes, from_places.line_bytes);
    size("l1", caches.l1_bytes, from_places.l1_bytes);
    size("l2", caches.l2_bytes, from_places.l2_bytes);
    size("l3", caches.l3_bytes, from_places.l3_bytes);
    if (caches.l3_shared_by != from_places.l3_shared_by) json["l3_shared_by"] = caches.l3_shared_by;
    if (caches.tlb_4k > 0) json["tlb_4k"] = caches.tlb_4k;
    if (caches.tlb_2m > 0) json["tlb_2m"] = caches.tlb_2m;
    if (caches.tlb_1g > 0) json["tlb_1g"] = caches.tlb_1g;
    return json;
  }

  Json write_memories() {
    std::map<NodeId, const Place*> place_of;
    walk(data_.root, [&](const Place& place, const Path&) {
      for (const NodeId node : place.memories) place_of[node] = &place;
    });
    std::map<PlaceKind, std::size_t> count_of_kind;
    walk(data_.root, [&](const Place& place, const Path&) { ++count_of_kind[place.kind]; });
    auto list = Json::array();
    std::set<NodeId> written;
    for (const MemoryNode& first : data_.memories) {
      if (written.contains(first.id)) continue;
      const PlaceKind kind = place_of[first.id]->kind;
      std::vector<NodeId> nodes;
      std::vector<int> places;
      // Equal memories, each at a separate place.
      for (MemoryNode alike : data_.memories) {
        const NodeId node = std::exchange(alike.id, first.id);
        const Place& place = *place_of[node];
        if (alike != first || place.kind != kind || written.contains(node) ||
            std::find(places.begin(), places.end(), place.index) != places.end())
          continue;
        nodes.push_back(node);
        places.push_back(place.index);
        written.insert(node);
      }
      const bool everywhere =
          places.size() == count_of_kind[kind] && std::is_sorted(places.begin(), places.end());
      Json group;
      group["nodes"] = format_nodes(nodes);
      group["at"] = std::string(to_string(kind));
      if (!everywhere) group["at"] = fmt::format("{} {}", to_string(kind), format_numbers(places));
      group["tier"] = first.tier;
      if (first.capacity_bytes > 0)
        group["capacity"] = {write_bytes(first.capacity_bytes), source_key(first.source)};
      if (first.free_bytes) group["free"] = write_bytes(*first.free_bytes);
      if (first.free_2m_pages > 0) group["free_2m_pages"] = first.free_2m_pages;
      if (first.free_1g_pages > 0) group["free_1g_pages"] = first.free_1g_pages;
      list.push_back(std::move(group));
    }
    return list;
  }

  /// Writes the outermost places whose processing units all have the same node, where this node
  /// isn't the default (the first memory of the nearest enclosing place).
  Json write_initiators() const {
    std::map<int, NodeId> node_of;
    for (const Processor& processor : data_.processors)
      node_of[processor.os_index] = processor.node;
    std::set<const Place*> by_hand;  // processing units whose node isn't the default
    walk(data_.root, [&](const Place& place, const Path& path) {
      if (place.kind == PlaceKind::pu && default_initiator(path) != node_of[place.os_index])
        by_hand.insert(&place);
    });
    auto list = Json::array();
    if (by_hand.empty()) return list;
    std::map<PlaceKind, std::pair<std::vector<NodeId>, std::vector<int>>> entries;
    walk(data_.root, [&](const Place& place, const Path&) {
      std::set<NodeId> nodes;
      bool any = false;
      bool memories_inside = false;
      walk(place, [&](const Place& below, const Path&) {
        memories_inside = memories_inside || (&below != &place && !below.memories.empty());
        if (below.kind != PlaceKind::pu) return;
        any = any || by_hand.contains(&below);
        nodes.insert(node_of[below.os_index]);
      });
      if (!any || nodes.size() != 1 || memories_inside) return;
      entries[place.kind].first.push_back(*nodes.begin());
      entries[place.kind].second.push_back(place.index);
      walk(place, [&](const Place& below, const Path&) { by_hand.erase(&below); });
    });
    for (const auto& [kind, entry] : entries)
      list.push_back({{"nodes", format_nodes(entry.first)},
                      {"at", fmt::format("{} {}", to_string(kind), format_numbers(entry.second))}});
    return list;
  }

  Json write_figure(const Figure& figure, std::string (*text)(double)) {
    return {text(figure.value), source_key(figure.source)};
  }

  /// Returns references to the values that all links of a group share.
  static auto key_of(const std::string& place, const Link& link) {
    return std::tie(place, link.distance, link.latency_ns, link.read_bytes_per_second,
                    link.write_bytes_per_second, link.by_threads);
  }

  Json write_links() {
    struct Group {
      std::string common;
      const Link* link;
      std::map<NodeId, std::vector<NodeId>> targets_of;
    };
    const CommonPlaces common(data_);
    std::vector<Group> groups;
    std::map<decltype(key_of({}, {})), std::size_t> known;
    for (const auto& [pair, link] : data_.links) {
      const std::string& place = common.name(pair.first, pair.second);
      const auto [group, is_new] = known.try_emplace(key_of(place, link), groups.size());
      if (is_new) groups.push_back({place, &link, {}});
      groups[group->second].targets_of[pair.first].push_back(pair.second);
    }
    auto list = Json::array();
    for (const Group& group : groups) {
      Json json;
      json["common"] = group.common;
      if (Json pairs = write_pairs(group.targets_of, group.common, common); !pairs.empty())
        json["pairs"] = std::move(pairs);
      const double distance = group.link->distance;
      json["distance"] =
          distance == std::floor(distance) ? Json(static_cast<int>(distance)) : Json(distance);
      json["latency"] = write_figure(group.link->latency_ns, write_latency);
      json["read"] = write_figure(group.link->read_bytes_per_second, write_bandwidth);
      json["write"] = write_figure(group.link->write_bytes_per_second, write_bandwidth);
      for (const ThreadsBandwidth& row : group.link->by_threads)
        json["by_threads"].push_back(
            {{"threads", row.threads},
             {"read", write_figure(row.read_bytes_per_second, write_bandwidth)},
             {"write", write_figure(row.write_bytes_per_second, write_bandwidth)},
             {"copy", write_figure(row.copy_bytes_per_second, write_bandwidth)}});
      list.push_back(std::move(json));
    }
    return list;
  }

  /// Returns an empty value if these are all pairs with this common place. Otherwise returns the
  /// smallest list of rows found.
  Json write_pairs(const std::map<NodeId, std::vector<NodeId>>& targets_of,
                   const std::string& place, const CommonPlaces& common) const {
    std::vector<NodeId> targets;
    for (const auto& [from, to] : targets_of) targets.insert(targets.end(), to.begin(), to.end());
    const std::size_t pairs = targets.size();
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    // The number of pairs that "from all initiators to these" would include.
    std::size_t named = 0;
    for (const NodeId from : initiators_)
      for (const NodeId to : targets) named += common.name(from, to) == place;
    auto rows = Json::array();
    if (named == pairs) {
      std::size_t with_place = 0;
      for (const NodeId from : initiators_)
        for (const NodeId to : targets_) with_place += common.name(from, to) == place;
      if (with_place != pairs) rows.push_back({"all", format_nodes(targets)});
      return rows;
    }
    std::map<std::vector<NodeId>, std::vector<NodeId>> initiators_of;
    for (const auto& [from, to] : targets_of) initiators_of[to].push_back(from);
    std::vector<std::pair<std::vector<NodeId>, std::vector<NodeId>>> ordered;
    ordered.reserve(initiators_of.size());
    for (const auto& [to, from] : initiators_of) ordered.emplace_back(from, to);
    std::sort(ordered.begin(), ordered.end());
    for (const auto& [from, to] : ordered) rows.push_back({format_nodes(from), format_nodes(to)});
    return rows;
  }

  Json write_orders() const {
    std::map<std::pair<Ordering, std::vector<NodeId>>, std::vector<NodeId>> from_of;
    for (const auto& [key, order] : data_.orders_by_hand)
      from_of[{key.second, order}].push_back(key.first);
    auto list = Json::array();
    for (const auto& [key, from] : from_of)
      list.push_back({{"from", format_nodes(from)},
                      {"by", to_string(key.first)},
                      {"nodes", format_nodes(key.second)}});
    return list;
  }

  const Machine::Data& data_;
  std::vector<NodeId> initiators_;
  std::vector<NodeId> targets_;
  std::map<std::pair<Origin, std::string>, std::string> keys_;
  std::map<Origin, int> used_;
  Json sources_;
};

}  // namespace
}  // namespace detail

std::string Machine::to_json() const {
  return detail::format_json(detail::FileWriter(*data_, initiators()).write());
}

}  // namespace Atoll
