#include "profile/unknown_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "atoll/base/units.hpp"

namespace Atoll::profile {
namespace {

/// Minimum share of the traffic for these pages to affect any figure.
constexpr double kLeastShare = 0.005;

template <class Visit>
void for_unknown(const PagesByNode& pages, const Places& places, Visit&& visit) {
  for (std::size_t row = 0; row < pages.rows.size(); ++row) {
    if (places.knows_node(pages.rows[row].first_touch)) continue;
    const auto counts = pages.of(row);
    visit(row, std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  }
}

}  // namespace

std::vector<UnknownNodes> unknown_nodes(const PagesByNode& pages, const Places& places,
                                        std::size_t objects) {
  std::vector<UnknownNodes> unknown(objects);
  for_unknown(pages, places, [&](std::size_t row, std::uint64_t traffic) {
    UnknownNodes& object = unknown[pages.rows[row].object];
    ++object.pages;
    object.traffic += traffic;
  });
  return unknown;
}

UnknownNodes unknown_nodes(const Summary& summary) {
  UnknownNodes all;
  const PagesByNode& pages = summary.by_node;
  for_unknown(pages, summary.places, [&](std::size_t row, std::uint64_t traffic) {
    const bool is_same_page = row > 0 && pages.page_end(row - 1) > row;
    all.pages += is_same_page ? 0 : 1;
    all.traffic += traffic;
  });
  return all;
}

std::string unknown_nodes_in_words(const Summary& summary) {
  const UnknownNodes all = unknown_nodes(summary);
  const double share = static_cast<double>(all.traffic) /
                       static_cast<double>(std::max<std::uint64_t>(1, summary.traffic));
  if (share < kLeastShare) return "";
  std::uint32_t objects = 0;
  for (const ObjectSummary& object : summary.objects) objects = std::max(objects, object.id + 1);
  const std::vector<UnknownNodes> by_object =
      unknown_nodes(summary.by_node, summary.places, objects);
  const auto main = std::ranges::max_element(summary.objects, {}, [&](const ObjectSummary& object) {
    return by_object[object.id].traffic;
  });
  return fmt::format(
      "The nodes of {} pages are unknown ({:.0f} % of the {}; most are of {}): the page cache had "
      "them before the program mapped them. All nodes are taken to have them in turn.",
      format_count(all.pages), 100 * share, summary.weighed_as.many,
      main == summary.objects.end() ? "no object" : main->name);
}

}  // namespace Atoll::profile
