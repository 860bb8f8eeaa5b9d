// Reads machine files. Contradictions are found in two steps. The reader finds those that are
// specific to files (unknown names, a figure that is missing or given twice). find_contradiction()
// finds all others, and the reader converts its result to a position in the file.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <set>

#include "atoll/base/units.hpp"
#include "base/json_cursor.hpp"
#include "base/json_text.hpp"
#include "machine/check.hpp"
#include "machine/file_places.hpp"
#include "machine/hardware_file.hpp"
#include "machine/machine_file.hpp"
#include "machine/node_set.hpp"
#include "machine/place_tree.hpp"
#include "machine/quantity.hpp"

namespace Atoll {
namespace detail {
namespace {

class FileReader {
 public:
  explicit FileReader(const JsonCursor& file) : file_(file) {
    file.with_keys({kVersionKey, "name", "about", "sources", "places", "package_numbers", "free",
                    "pu_numbers", "caches", "memories", "initiators", "links", "orders", "hardware",
                    "wires", "memory_side_caches"});
    if (const double version = file.get(kVersionKey).number(); version != kVersion)
      throw file.get(kVersionKey)
          .wrong(fmt::format("version {} is unknown", version),
                 fmt::format("this program reads version {}", kVersion));
    data_.name = file.get("name").string();
    if (const auto about = file.find("about")) data_.about = about->string();
    if (const auto sources = file.find("sources")) read_sources(*sources);
    data_.root = read_places(file.get("places"));
    read_numbers(file, data_.root);
    read_caches();
    for (const JsonCursor& group : file.get("memories").elements()) read_memories(group);
    if (const auto free = file.find("free"))
      data_.free_bytes = parse_bytes(free->string(), free->where());
    read_processors();
    refuse(find_contradiction_in_parts(data_));
    read_links(file.get("links"));
    if (const auto orders = file.find("orders"))
      for (const JsonCursor& order : orders->elements()) read_order(order);
    const auto source = [this](const JsonCursor& key) { return source_of(key); };
    data_.hardware = read_hardware_parts(file, source);
  }

  /// Returns the machine's data after checking for contradictions.
  Machine::Data take() {
    refuse(find_contradiction(data_));
    return std::move(data_);
  }

 private:
  /// If a contradiction was found, throws it as Error (input) with its position in the file.
  void refuse(const std::optional<Contradiction>& found) const {
    if (found)
      throw Error::input(fmt::format("{}: {}", file_.where(), pointer(found->subject)),
                         fmt::format("{}: {}", to_string(found->subject), found->what),
                         found->way_out);
  }

  using Groups = std::array<int, std::size(kLinkFields)>;  // for each field, the group that set it

  [[nodiscard]] std::string pointer(const Subject& subject) const {
    switch (subject.part) {
      case Subject::Part::name:
        return "/name";
      case Subject::Part::places:
        return "/places";
      case Subject::Part::processors:
        return file_.find("pu_numbers") ? "/pu_numbers" : "/places";
      case Subject::Part::initiators:
        return file_.find("initiators") ? "/initiators" : "/places";
      case Subject::Part::caches:
        return "/caches";
      case Subject::Part::memory: {
        const auto known = memory_places_.find(subject.target);
        return known == memory_places_.end() ? "/memories" : known->second;
      }
      case Subject::Part::link: {
        const int group =
            groups_of(subject.initiator, subject.target)[static_cast<std::size_t>(subject.field)];
        return fmt::format("/links/{}/{}", group, to_string(subject.field));
      }
      case Subject::Part::wires:
        return "/wires";
      case Subject::Part::memory_side:
        return "/memory_side_caches";
      case Subject::Part::order:
        return order_places_.at({subject.initiator, subject.ordering});
    }
    return "";
  }

  void read_sources(const JsonCursor& sources) {
    for (const auto& [key, source] : sources.members()) {
      source.with_keys({"origin", "text"});
      const std::string& name = source.get("origin").string();
      const auto origin = std::find_if(std::begin(kOrigins), std::end(kOrigins), [&](Origin known) {
        return Atoll::to_string(known) == name;
      });
      if (origin == std::end(kOrigins))
        throw source.get("origin").wrong(
            fmt::format("'{}' is not an origin", name),
            "one of measured, firmware, datasheet, paper, estimated, user");
      sources_[key] = {*origin, source.get("text").string()};
    }
  }

  /// Reads ["98 ns", "key of the source"].
  std::pair<JsonCursor, Source> sourced(const JsonCursor& figure) const {
    const std::vector<JsonCursor> parts = figure.elements();
    if (parts.size() != 2)
      throw figure.wrong("must be a figure and its source",
                         R"(write ["98 ns", "key of a source"])");
    return {parts[0], source_of(parts[1])};
  }
  Source source_of(const JsonCursor& key) const {
    const auto source = sources_.find(key.string());
    if (source != sources_.end()) return source->second;
    throw key.wrong(fmt::format("unknown source '{}'", key.string()), "describe it in 'sources'");
  }

  Figure read_latency(const JsonCursor& at) const {
    const auto [text, source] = sourced(at);
    if (const auto value = parse_latency(text.string())) return {*value, source};
    throw text.wrong(fmt::format("'{}' is not a latency", text.string()),
                     "write for example 98 ns");
  }

  Figure read_bandwidth(const JsonCursor& at) const {
    const auto [text, source] = sourced(at);
    if (const auto value = parse_bandwidth(text.string())) return {*value, source};
    throw text.wrong(fmt::format("'{}' is not a bandwidth", text.string()),
                     "write for example 9.6 GB/s");
  }

  std::vector<ThreadsBandwidth> read_by_threads(const JsonCursor& at) const {
    std::vector<ThreadsBandwidth> rows;
    for (const JsonCursor& row : at.elements()) {
      row.with_keys({"threads", "read", "write", "copy"});
      rows.push_back({row.get("threads").whole_number(static_cast<int>(kMaxProcessors)),
                      read_bandwidth(row.get("read")), read_bandwidth(row.get("write")),
                      read_bandwidth(row.get("copy"))});
    }
    if (rows.empty()) throw at.wrong("no rows", "leave it out");
    return rows;
  }

  std::vector<NodeId> read_nodes(const JsonCursor& at) const {
    std::vector<NodeId> nodes;
    for (const int number : parse_numbers(at.string(), at.where(), static_cast<int>(kMaxNodes) - 1))
      nodes.push_back(NodeId{static_cast<std::uint32_t>(number)});
    return nodes;
  }

  /// Reads "all", or a subset of `known`.
  std::vector<NodeId> read_nodes(const JsonCursor& at, const std::vector<NodeId>& known,
                                 std::string_view what) const {
    if (at.string() == "all") return known;
    std::vector<NodeId> nodes = read_nodes(at);
    for (const NodeId node : nodes)
      if (!std::binary_search(known.begin(), known.end(), node))
        throw at.wrong(fmt::format("node {} {}", node.value, what),
                       fmt::format("those are {}", format_nodes(known)));
    return nodes;
  }

  void read_caches() {
    data_.caches = caches_of(data_.root);
    const auto caches = file_.find("caches");
    if (!caches) return;
    caches->with_keys({"line", "l1", "l2", "l3", "l3_shared_by", "tlb_4k", "tlb_2m", "tlb_1g"});
    const auto size = [&](std::string_view key, std::uint64_t& bytes) {
      if (const auto at = caches->find(key)) bytes = parse_bytes(at->string(), at->where());
    };
    size("line", data_.caches.line_bytes);
    size("l1", data_.caches.l1_bytes);
    size("l2", data_.caches.l2_bytes);
    size("l3", data_.caches.l3_bytes);
    if (const auto at = caches->find("l3_shared_by"))
      data_.caches.l3_shared_by = at->whole_number(static_cast<int>(kMaxProcessors));
    const auto entries = [&](std::string_view key, std::uint64_t& count) {
      if (const auto at = caches->find(key))
        count = static_cast<std::uint64_t>(at->whole_number(kMaxTlbEntries));
    };
    entries("tlb_4k", data_.caches.tlb_4k);
    entries("tlb_2m", data_.caches.tlb_2m);
    entries("tlb_1g", data_.caches.tlb_1g);
  }

  void read_memories(const JsonCursor& group) {
    group.with_keys({"nodes", "at", "tier", "capacity", "free", "free_2m_pages", "free_1g_pages"});
    MemoryNode memory;
    memory.tier = group.get("tier").string();
    if (const auto given = group.find("capacity")) {
      const auto [capacity, source] = sourced(*given);
      memory.capacity_bytes = parse_bytes(capacity.string(), capacity.where());
      memory.source = source;
      if (memory.capacity_bytes == 0)
        throw capacity.wrong("a memory of no capacity",
                             "leave out the memory, or its capacity if that is unknown");
    }
    if (const auto free = group.find("free"))
      memory.free_bytes = parse_bytes(free->string(), free->where());
    const auto pages = [&](std::string_view key, std::uint64_t& count) {
      if (const auto at = group.find(key))
        count = static_cast<std::uint64_t>(at->whole_number(kMaxPoolPages));
    };
    pages("free_2m_pages", memory.free_2m_pages);
    pages("free_1g_pages", memory.free_1g_pages);
    const std::vector<NodeId> nodes = read_nodes(group.get("nodes"));
    const std::vector<Place*> places = find_places(group.get("at"), data_.root);
    if (places.size() != 1 && places.size() != nodes.size())
      throw group.wrong(fmt::format("{} nodes at {} places", nodes.size(), places.size()),
                        "one place for each node, or one for all");
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      memory.id = nodes[i];
      if (const auto [first, is_new] = memory_places_.emplace(memory.id, group.pointer()); !is_new)
        throw group.wrong(fmt::format("memory {} is there twice", memory.id.value),
                          "first in " + first->second);
      data_.memories.push_back(memory);
      std::vector<NodeId>& here = places[places.size() == 1 ? 0 : i]->memories;
      here.insert(std::upper_bound(here.begin(), here.end(), memory.id), memory.id);
    }
    std::sort(data_.memories.begin(), data_.memories.end(),
              [](const MemoryNode& a, const MemoryNode& b) { return a.id < b.id; });
  }

  void read_processors() {
    std::map<const Place*, NodeId> by_hand;
    if (const auto entries = file_.find("initiators"))
      for (const JsonCursor& entry : entries->elements()) {
        entry.with_keys({"nodes", "at"});
        const std::vector<NodeId> nodes = read_nodes(entry.get("nodes"));
        const std::vector<Place*> places = find_places(entry.get("at"), data_.root);
        if (nodes.size() != 1 && nodes.size() != places.size())
          throw entry.wrong(fmt::format("{} nodes for {} places", nodes.size(), places.size()),
                            "one node for each place, or one for all");
        for (std::size_t i = 0; i < places.size(); ++i)
          if (!by_hand.emplace(places[i], nodes[nodes.size() == 1 ? 0 : i]).second)
            throw entry.wrong("a place is there twice", "give each one node");
      }
    data_.processors = list_processors(data_.root, [&](const Place& pu, const Path& path) {
      Path inside = path;
      inside.push_back(&pu);
      for (auto place = inside.rbegin(); place != inside.rend(); ++place) {
        const auto known = by_hand.find(*place);
        if (known != by_hand.end()) return known->second;
        if (!(*place)->memories.empty()) return (*place)->memories.front();
      }
      throw file_.get("places").wrong(
          fmt::format("processing unit {} belongs to no node", pu.os_index),
          "attach a memory to a place around it, or name its node in 'initiators'");
    });
    std::set<NodeId> nodes;
    for (const Processor& processor : data_.processors) nodes.insert(processor.node);
    initiators_.assign(nodes.begin(), nodes.end());
    for (const MemoryNode& memory : data_.memories) targets_.push_back(memory.id);
  }

  static std::size_t rank(const std::vector<NodeId>& nodes, NodeId node) {
    return static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), node) -
                                    nodes.begin());
  }
  [[nodiscard]] const Groups& groups_of(NodeId from, NodeId to) const {
    return groups_[rank(initiators_, from) * targets_.size() + rank(targets_, to)];
  }

  void read_links(const JsonCursor& links) {
    Groups none;
    none.fill(-1);
    groups_.assign(initiators_.size() * targets_.size(), none);
    const CommonPlaces common(data_);
    std::vector<const std::string*> common_places;
    for (const NodeId from : initiators_)
      for (const NodeId to : targets_) common_places.push_back(&common.name(from, to));
    const std::vector<JsonCursor> groups = links.elements();
    for (std::size_t i = 0; i < groups.size(); ++i)
      read_link_group(groups[i], static_cast<int>(i), common_places);
    for (const NodeId from : initiators_)
      for (const NodeId to : targets_)
        for (const LinkField field : kLinkFields)
          if (field != LinkField::by_threads &&
              groups_of(from, to)[static_cast<std::size_t>(field)] < 0)
            throw links.wrong(
                fmt::format("no {} from {} to {}", to_string(field), from.value, to.value),
                "every initiator and memory needs latency, read, write and distance");
  }

  void read_link_group(const JsonCursor& group, int number,
                       const std::vector<const std::string*>& common_places) {
    group.with_keys({"pairs", "common", "latency", "read", "write", "distance", "by_threads"});
    std::vector<char> selected(groups_.size(), group.find("pairs") ? 0 : 1);
    if (const auto pairs = group.find("pairs"))
      for (const JsonCursor& pair : pairs->elements()) {
        const std::vector<JsonCursor> ends = pair.elements();
        if (ends.size() != 2)
          throw pair.wrong("must be initiators and memories",
                           R"(write for example ["0-3", "4,5"])");
        const auto from_nodes = read_nodes(ends[0], initiators_, "has no processing units");
        const auto to_nodes = read_nodes(ends[1], targets_, "is no memory");
        for (const NodeId from : from_nodes)
          for (const NodeId to : to_nodes)
            selected[rank(initiators_, from) * targets_.size() + rank(targets_, to)] = 1;
      }
    Link link;
    std::vector<LinkField> given;
    for (const LinkField field : kLinkFields) {
      const auto at = group.find(to_string(field));
      if (!at) continue;
      given.push_back(field);
      if (field == LinkField::latency) link.latency_ns = read_latency(*at);
      if (field == LinkField::read) link.read_bytes_per_second = read_bandwidth(*at);
      if (field == LinkField::write) link.write_bytes_per_second = read_bandwidth(*at);
      if (field == LinkField::distance) link.distance = at->number();
      if (field == LinkField::by_threads) link.by_threads = read_by_threads(*at);
    }
    if (given.empty())
      throw group.wrong("gives no figure", "give latency, read, write, distance or by_threads");
    const auto place = group.find("common");
    bool any = false;
    for (std::size_t i = 0; i < selected.size(); ++i) {
      if (!selected[i]) continue;
      if (place && *common_places[i] != place->string()) continue;
      const NodeId from = initiators_[i / targets_.size()];
      const NodeId to = targets_[i % targets_.size()];
      any = true;
      Link& stored = data_.links[{from, to}];
      for (const LinkField field : given) {
        int& giver = groups_[i][static_cast<std::size_t>(field)];
        if (giver >= 0)
          throw group.wrong(
              fmt::format("gives {} from {} to {} again", to_string(field), from.value, to.value),
              fmt::format("first in /links/{}", giver));
        giver = number;
        if (field == LinkField::latency) stored.latency_ns = link.latency_ns;
        if (field == LinkField::read) stored.read_bytes_per_second = link.read_bytes_per_second;
        if (field == LinkField::write) stored.write_bytes_per_second = link.write_bytes_per_second;
        if (field == LinkField::distance) stored.distance = link.distance;
        if (field == LinkField::by_threads) stored.by_threads = link.by_threads;
      }
    }
    if (!any)
      throw group.wrong(
          "no pair of an initiator and a memory is like that",
          "'common' is numa, package, machine, … or 'group 2' for the second level of groups");
  }

  void read_order(const JsonCursor& order) {
    order.with_keys({"from", "by", "nodes"});
    const std::string& by = order.get("by").string();
    const auto ordering =
        std::find_if(std::begin(kOrderings), std::end(kOrderings),
                     [&](Ordering known) { return Atoll::to_string(known) == by; });
    if (ordering == std::end(kOrderings))
      throw order.get("by").wrong(fmt::format("'{}' is not an ordering", by),
                                  "one of latency, bandwidth, capacity");
    const std::vector<NodeId> nodes = read_nodes(order.get("nodes"));
    const auto from_nodes = read_nodes(order.get("from"), initiators_, "has no processing units");
    for (const NodeId from : from_nodes) {
      if (const auto [first, is_new] =
              order_places_.try_emplace({from, *ordering}, order.pointer());
          !is_new)
        throw order.wrong(fmt::format("orders by {} from {} again", by, from.value),
                          "first in " + first->second);
      data_.orders_by_hand[{from, *ordering}] = nodes;
    }
  }

  JsonCursor file_;
  Machine::Data data_;
  std::map<std::string, Source> sources_;
  std::vector<NodeId> initiators_;
  std::vector<NodeId> targets_;
  std::vector<Groups> groups_;  // initiators_ x targets_
  std::map<NodeId, std::string> memory_places_;
  std::map<std::pair<NodeId, Ordering>, std::string> order_places_;
};

}  // namespace

}  // namespace detail

Machine Machine::from_json(std::string_view text, std::string_view where) {
  constexpr std::string_view kWayOut = "docs/machine-file.md shows the format";
  const Json document = detail::parse_json(text, where, kWayOut);
  return Machine(detail::FileReader(detail::JsonCursor(document, where, kWayOut)).take());
}

}  // namespace Atoll
