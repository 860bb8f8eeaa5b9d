// Rules of the mappings: each rule returns the fraction of the time that a page is on each node.
#include "profile/what_if.hpp"

#include <algorithm>
#include <numeric>

namespace Atoll::profile {
namespace {

std::uint64_t sum(std::span<const std::uint64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

/// Returns the node with most accesses; among equals the home, else the first.
std::uint32_t busiest(std::span<const std::uint64_t> counts, std::uint32_t home) {
  const auto most = std::ranges::max_element(counts);
  return counts[home] == *most ? home : static_cast<std::uint32_t>(most - counts.begin());
}

}  // namespace

std::string_view to_string(Mapping mapping) {
  static constexpr std::array<std::string_view, kMappings.size()> kWords{
      "os", "compact", "interleave", "numa-balancing", "kmaf", "locality", "balance"};
  return kWords.at(static_cast<std::size_t>(mapping));
}

std::string_view in_words(Mapping mapping) {
  static constexpr std::array<std::string_view, kMappings.size()> kWords{
      "each page on the node that touched it first",
      "all threads on neighbouring cores",
      "pages in turn over the nodes",
      "pages moved as Linux does while the program runs",
      "pages moved as kMAF does while the program runs",
      "each page on the node that uses it most",
      "the same, where no memory serves more than its part"};
  return kWords.at(static_cast<std::size_t>(mapping));
}

double Outcome::all() const {
  return std::accumulate(loads.begin(), loads.end(), 0.0);
}

double Outcome::local_share() const {
  return all() == 0 ? 0 : local / all();
}

double Outcome::busiest_share() const {
  return all() == 0 ? 0 : std::ranges::max(loads) / all();
}

// Places pages by descending accesses, each on the node that uses it most among those with room. If
// none of them has room, the page is placed on the node with the most room.
std::vector<std::uint32_t> balanced_nodes(const PagesByNode& pages, const Places& places) {
  struct Page {
    std::size_t row;
    std::uint64_t accesses;
  };
  std::vector<Page> order;
  std::uint64_t all = 0;
  const auto counts_of = [&](std::size_t row, std::vector<std::uint64_t>& counts) {
    counts.assign(pages.nodes, 0);
    for (std::size_t part = row; part < pages.page_end(row); ++part)
      for (std::size_t node = 0; node < pages.nodes; ++node) counts[node] += pages.of(part)[node];
  };
  std::vector<std::uint64_t> counts;
  for (std::size_t row = 0; row < pages.rows.size(); row = pages.page_end(row)) {
    counts_of(row, counts);
    order.push_back({row, sum(counts)});
    all += order.back().accesses;
  }
  std::ranges::stable_sort(order, std::greater{}, &Page::accesses);
  const double room = kBalanceSlack * static_cast<double>(all) / static_cast<double>(pages.nodes);
  std::vector<std::uint64_t> loads(pages.nodes);
  std::vector<std::uint32_t> node_of(pages.rows.size());
  for (const Page& page : order) {
    counts_of(page.row, counts);
    const std::uint32_t home =
        places.node_of(pages.rows[page.row].first_touch, pages.rows[page.row].page);
    const auto least = static_cast<std::uint32_t>(std::ranges::min_element(loads) - loads.begin());
    std::uint32_t best = least;
    for (std::uint32_t node = 0; node < pages.nodes; ++node) {
      if (static_cast<double>(loads[node] + page.accesses) > room) continue;
      if (counts[node] > counts[best] || (counts[node] == counts[best] && node == home))
        best = node;
    }
    node_of[page.row] = best;
    loads[best] += page.accesses;
  }
  return node_of;
}

WhatIf what_if(const PagesByNode& pages, std::size_t objects, const PageRule& rule,
               const MemoryTraffic* memory) {
  WhatIf result;
  result.program.loads.resize(pages.nodes);
  if (memory != nullptr) result.timed = PhasedTraffic(*memory);
  result.of_objects.assign(objects, result.program);
  std::vector<std::uint64_t> counts(pages.nodes);
  std::vector<double> shares(pages.nodes);
  for (std::size_t row = 0; row < pages.rows.size(); row = pages.page_end(row)) {
    const std::size_t end = pages.page_end(row);
    std::ranges::fill(counts, 0);
    for (std::size_t part = row; part < end; ++part)
      for (std::size_t node = 0; node < pages.nodes; ++node) counts[node] += pages.of(part)[node];
    std::ranges::fill(shares, 0);
    rule(row, counts, shares);
    for (std::size_t node = 0; node < pages.nodes && memory != nullptr; ++node)
      for (std::size_t part = row; part < end && shares[node] > 0; ++part)
        result.timed.add(memory->of(part), node, shares[node]);
    for (std::size_t part = row; part < end; ++part) {
      const auto own = pages.of(part);
      const auto all = static_cast<double>(sum(own));
      Outcome& object = result.of_objects[pages.rows[part].object];
      for (std::size_t node = 0; node < pages.nodes; ++node) {
        const double local = static_cast<double>(own[node]) * shares[node];
        object.local += local;
        object.loads[node] += all * shares[node];
        result.program.local += local;
        result.program.loads[node] += all * shares[node];
      }
    }
  }
  return result;
}

WhatIf what_if(Mapping mapping, const PagesByNode& pages, const Places& places, std::size_t objects,
               const MemoryTraffic* memory) {
  const auto with = [&](const PageRule& rule) { return what_if(pages, objects, rule, memory); };
  const auto home = [&](std::size_t row) {
    return places.node_of(pages.rows[row].first_touch, pages.rows[row].page);
  };
  using Counts = std::span<const std::uint64_t>;
  using Shares = std::span<double>;
  switch (mapping) {
    case Mapping::os:
    case Mapping::compact:
      return with([&](std::size_t row, Counts, Shares shares) { shares[home(row)] = 1; });
    case Mapping::interleave:
      return with([&](std::size_t row, Counts, Shares shares) {
        shares[pages.rows[row].page % pages.nodes] = 1;
      });
    case Mapping::numa_balancing:
      return with([&](std::size_t row, Counts counts, Shares shares) {
        const double samples = pages.rows[row].samples, periods = samples + 1;
        shares[home(row)] = 1 / periods;
        const auto all = static_cast<double>(sum(counts));
        for (std::size_t node = 0; node < pages.nodes; ++node)
          shares[node] += samples / periods * static_cast<double>(counts[node]) / all;
      });
    case Mapping::kmaf:
      return with([&](std::size_t row, Counts counts, Shares shares) {
        const std::uint32_t samples = pages.rows[row].samples;
        const std::uint32_t most = busiest(counts, home(row));
        const bool moves =
            samples >= kKmafHistory &&
            static_cast<double>(counts[most]) > kKmafMajority * static_cast<double>(sum(counts));
        const double before = moves ? static_cast<double>(kKmafHistory) / (samples + 1) : 1;
        shares[home(row)] = before;
        shares[most] += 1 - before;
      });
    case Mapping::locality:
      return with([&](std::size_t row, Counts counts, Shares shares) {
        shares[busiest(counts, home(row))] = 1;
      });
    case Mapping::balance:
      break;
  }
  const std::vector<std::uint32_t> node_of = balanced_nodes(pages, places);
  return with([&](std::size_t row, Counts, Shares shares) { shares[node_of[row]] = 1; });
}

}  // namespace Atoll::profile
