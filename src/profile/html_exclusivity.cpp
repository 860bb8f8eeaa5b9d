// Figure 2 for the HTML report. A screen can't show a million dots, so pages are counted in the
// cells of a grid that is finer than the screen's pixels.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "atoll/base/json.hpp"
#include "profile/exclusivity.hpp"
#include "profile/html_parts.hpp"

namespace Atoll::profile {
namespace {

using Cells = std::map<std::uint64_t, std::uint64_t>;  ///< (node << 32 | cell) -> number of pages

std::string packed(const Cells& cells) {
  std::string plain;
  put_varint(plain, cells.size());
  std::uint64_t before = 0;
  for (const auto& [key, pages] : cells) {
    put_varint(plain, (key >> 32U) - (before >> 32U));
    before = key;
  }
  for (const auto& [key, pages] : cells) put_varint(plain, key & 0xffffffffU);
  for (const auto& [key, pages] : cells) put_varint(plain, pages);
  return deflated(plain);
}

/// Returns the cells of the program, followed by those of each of `objects`.
std::vector<Cells> cells_of(const PagesByNode& pages, const Places& places,
                            std::span<const std::uint32_t> objects, const FineGrid& grid) {
  std::map<std::uint32_t, std::size_t> position;
  for (const std::uint32_t object : objects) position.emplace(object, position.size() + 1);
  std::vector<Cells> cells(objects.size() + 1);
  std::vector<std::uint64_t> counts;
  for (std::size_t row = 0; row < pages.rows.size(); row = pages.page_end(row)) {
    const std::uint64_t node = places.node_of(pages.rows[row].first_touch, pages.rows[row].page);
    counts.assign(pages.nodes, 0);
    for (std::size_t part = row; part < pages.page_end(row); ++part) {
      for (std::size_t i = 0; i < pages.nodes; ++i) counts[i] += pages.of(part)[i];
      if (const auto found = position.find(pages.rows[part].object); found != position.end())
        ++cells[found->second][node << 32U | grid.cell(pages.of(part))];
    }
    ++cells[0][node << 32U | grid.cell(counts)];
  }
  return cells;
}

}  // namespace

std::uint32_t FineGrid::cell(std::span<const std::uint64_t> accesses) const {
  const auto all =
      static_cast<double>(std::accumulate(accesses.begin(), accesses.end(), std::uint64_t{0}));
  const double least = accesses.size() > 1 ? 1.0 / static_cast<double>(accesses.size()) : 0;
  const double place = (exclusivity_of(accesses) - least) / (1 - least);
  const auto column = static_cast<std::uint32_t>(std::max(0.0, place) * columns);
  const auto row = static_cast<std::uint32_t>(std::log10(all) * rows_a_decade);
  return row * columns + std::min(column, columns - 1);
}

Json html_exclusivity(const PagesByNode& pages, const Places& places,
                      std::span<const std::uint32_t> objects, std::size_t bytes, HtmlData& data) {
  for (FineGrid grid;; grid = {grid.columns / 2, std::max(1U, grid.rows_a_decade / 2)}) {
    std::vector<std::string> parts;
    std::size_t size = 0;
    for (const Cells& cells : cells_of(pages, places, objects, grid))
      size += parts.emplace_back(packed(cells)).size();
    if (size > bytes && grid.columns > 10) continue;
    Json of = Json::array();
    for (const std::string& part : parts) of.push_back(to_json(data.add(part)));
    return {{"columns", grid.columns}, {"rows_a_decade", grid.rows_a_decade}, {"parts", of}};
  }
}

}  // namespace Atoll::profile
