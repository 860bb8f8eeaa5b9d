// Computes the exclusivity of pages, objects and the program.
#include "profile/exclusivity.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Atoll::profile {
namespace {

std::uint64_t sum(std::span<const std::uint64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

/// Sets `counts` to the accesses by node of the whole page whose first row is `row`.
void add_page(const PagesByNode& pages, std::size_t row, std::vector<std::uint64_t>& counts) {
  counts.assign(pages.nodes, 0);
  for (std::size_t part = row; part < pages.page_end(row); ++part)
    for (std::size_t node = 0; node < pages.nodes; ++node) counts[node] += pages.of(part)[node];
}

double decades_of(const PagesByNode& pages) {
  std::uint64_t most = 10;
  std::vector<std::uint64_t> counts;
  for (std::size_t row = 0; row < pages.rows.size(); row = pages.page_end(row)) {
    add_page(pages, row, counts);
    most = std::max(most, sum(counts));
  }
  return std::ceil(std::log10(static_cast<double>(most) + 1));
}

}  // namespace

double exclusivity_of(std::span<const std::uint64_t> accesses) {
  const std::uint64_t all = sum(accesses);
  return all == 0 ? 0 : static_cast<double>(std::ranges::max(accesses)) / static_cast<double>(all);
}

Exclusivity exclusivity(const PagesByNode& pages, std::size_t objects) {
  // Weighted by accesses, the mean of max / all is the sum of max divided by the sum of all.
  std::vector<std::uint64_t> highest(objects), all(objects), counts;
  std::uint64_t program_highest = 0, program_all = 0;
  for (std::size_t row = 0; row < pages.rows.size(); row = pages.page_end(row)) {
    for (std::size_t part = row; part < pages.page_end(row); ++part) {
      highest[pages.rows[part].object] += std::ranges::max(pages.of(part));
      all[pages.rows[part].object] += sum(pages.of(part));
    }
    add_page(pages, row, counts);
    program_highest += std::ranges::max(counts);
    program_all += sum(counts);
  }
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  Exclusivity result{.program = share(program_highest, program_all)};
  for (std::size_t object = 0; object < objects; ++object)
    result.of_objects.push_back(share(highest[object], all[object]));
  return result;
}

ExclusivityGrid ExclusivityGrid::of(const PagesByNode& pages, const Places& places,
                                    double decades) {
  ExclusivityGrid grid{.decades = decades > 0 ? decades : decades_of(pages)};
  grid.cells.assign(pages.nodes, std::vector<std::uint64_t>(kRows * kColumns));
  const double least = 1.0 / static_cast<double>(pages.nodes);
  std::vector<std::uint64_t> counts;
  const auto step = [](double share, std::size_t steps) {
    return std::min(steps - 1,
                    static_cast<std::size_t>(std::max(0.0, share) * static_cast<double>(steps)));
  };
  for (std::size_t row = 0; row < pages.rows.size(); row = pages.page_end(row)) {
    add_page(pages, row, counts);
    const double range = pages.nodes > 1 ? (exclusivity_of(counts) - least) / (1 - least) : 1;
    const double height = std::log10(static_cast<double>(sum(counts))) / grid.decades;
    ++grid.cells[places.node_of(pages.rows[row].first_touch, pages.rows[row].page)]
                [step(height, kRows) * kColumns + step(range, kColumns)];
  }
  return grid;
}

}  // namespace Atoll::profile
