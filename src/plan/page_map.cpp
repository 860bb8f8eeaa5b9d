#include "plan/page_map.hpp"

#include <algorithm>
#include <map>

#include "atoll/base/page_size.hpp"
#include "base/overloaded.hpp"

namespace Atoll::detail {
namespace {

std::uint64_t count_of(std::uint64_t bytes, std::uint64_t page) {
  return bytes / page + (bytes % page != 0 ? 1 : 0);
}

std::uint64_t last_end(const PageMap& map) {
  return map.runs.empty() ? 0 : map.runs.back().end;
}

/// Returns the map of an object of `elements` elements; runs' ends are in bytes.
PageMap map_in_bytes(const Layout& layout, std::uint64_t elements, std::uint64_t element_bytes,
                     std::uint64_t page) {
  PageMap map{.page_size = layout.pages};
  std::visit(Overloaded{
                 [&](const SingleNode& single) {
                   map.runs = {{elements * element_bytes, single.node}};
                 },
                 [&](const Distributed& distributed) {
                   map.turns = distributed.nodes;
                   map.granule = std::max<std::uint64_t>(1, distributed.granule_bytes / page);
                 },
                 [&](const Partitioned& parts) {
                   const std::vector<std::uint64_t> ends = ends_of(parts, elements);
                   for (std::size_t part = 0; part < ends.size(); ++part)
                     map.runs.push_back({ends[part] * element_bytes, parts.nodes[part]});
                 },
                 [&](const Replicated& copies) { map.turns = copies.nodes; },
             },
             layout.where);
  return map;
}

}  // namespace

std::vector<std::uint64_t> ends_of(const Partitioned& parts, std::uint64_t elements) {
  if (!parts.ends.empty()) return parts.ends;
  std::vector<std::uint64_t> ends;
  const std::uint64_t count = parts.nodes.size();
  for (std::uint64_t end = 1; end <= count; ++end) ends.push_back(share_of(elements, end, count));
  return ends;
}

std::uint64_t PageMap::piece_of(std::uint64_t page, std::uint64_t pages) const {
  if (!turns.empty()) return page / granule_in_pages(granule, pages, max_pieces);
  if (runs.empty()) return 0;
  const auto run = std::partition_point(runs.begin(), runs.end() - 1, [&](const Run& before) {
    return nearest_page(before.end, units, pages) <= page;
  });
  return static_cast<std::uint64_t>(run - runs.begin());
}

std::optional<NodeId> PageMap::node_of(std::uint64_t page, std::uint64_t pages) const {
  if (!turns.empty()) return turns[piece_of(page, pages) % turns.size()];
  return runs.empty() ? std::nullopt : runs[piece_of(page, pages)].node;
}

bool PageMap::is_one_piece(std::uint64_t first, std::uint64_t last, std::uint64_t pages) const {
  return piece_of(first, pages) == piece_of(last, pages);
}

std::vector<std::pair<NodeId, std::uint64_t>> PageMap::counts(std::uint64_t pages) const {
  std::map<NodeId, std::uint64_t> counts;
  for_each_run(runs.data(), turns.empty() ? runs.size() : 0, units, pages,
               [&](std::uint64_t begin, std::uint64_t end, const Run& run) {
                 if (run.node) counts[*run.node] += end - begin;
               });
  // Computed in closed form: 1 TiB has many granules.
  const std::uint64_t its = granule_in_pages(granule, pages, max_pieces), whole = pages / its;
  for (std::size_t turn = 0; turn < turns.size(); ++turn) {
    const bool is_longer = turn < whole % turns.size(), is_last = turn == whole % turns.size();
    const std::uint64_t own = (whole / turns.size() + (is_longer ? 1 : 0)) * its;
    if (const std::uint64_t all = own + (is_last ? pages % its : 0); all > 0)
      counts[turns[turn]] += all;
  }
  return {counts.begin(), counts.end()};
}

bool PageMap::is_interleaved() const {
  std::vector<NodeId> nodes = turns;
  std::ranges::sort(nodes);
  return !nodes.empty() && granule == 1 && std::ranges::adjacent_find(nodes) == nodes.end();
}

PageMap page_map(const Layout& layout, std::uint64_t elements, std::uint64_t element_bytes) {
  const std::uint64_t page = page_bytes(layout.pages);
  if (const auto* copies = std::get_if<Replicated>(&layout.where))
    return page_map({SingleNode{copies->nodes.front()}, layout.pages}, elements, element_bytes);
  PageMap map = map_in_bytes(layout, elements, element_bytes, page);
  map.units = std::max<std::uint64_t>(1, count_of(elements * element_bytes, page)) * page;
  return map;
}

PageMap page_map(const PlannedObject& object) {
  PageMap map;
  if (!object.runs.empty()) {
    map.page_size = object.layout.pages;
    for (const PageRun& run : object.runs) map.runs.push_back({run.end_page, run.node});
    map.units = std::max(last_end(map), count_of(object.bytes, kPageBytes));
  } else {
    // Equal parts of whole pages are exact shares, independent of the planned object's size.
    const auto* parts = std::get_if<Partitioned>(&object.layout.where);
    const bool is_equal = parts != nullptr && parts->ends.empty();
    map = map_in_bytes(object.layout,
                       is_equal ? parts->nodes.size() : std::max(object.bytes, kPageBytes), 1,
                       kPageBytes);
    map.units = last_end(map);
  }
  map.units = std::max<std::uint64_t>(1, map.units);
  map.max_pieces = map.is_interleaved() ? 0 : kMaxPieces;
  return map;
}

PageMap page_map(const PlannedObject& object, const Machine& machine) {
  PageMap map = page_map(object);
  for (PageMap::Run& run : map.runs)
    if (run.node && !machine.has_memory(*run.node)) run.node.reset();
  std::erase_if(map.turns, [&](NodeId node) { return !machine.has_memory(node); });
  map.max_pieces = map.is_interleaved() ? 0 : kMaxPieces;
  return map;
}

}  // namespace Atoll::detail
