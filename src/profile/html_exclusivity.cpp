// Figure 2 for the HTML report: a screen can't show a million dots, so pages are counted in the
// cells of a grid that is finer than the screen's pixels.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "profile/exclusivity.hpp"
#include "profile/html_parts.hpp"

namespace Atoll::profile {
namespace {

using nlohmann::json;
using Cells = std::map<std::uint64_t, std::uint64_t>;  ///< node << 32 | cell: pages

HtmlData::Part packed(const Cells& cells, HtmlData& data) {
  std::string plain;
  put_varint(plain, cells.size());
  std::uint64_t before = 0;
  for (const auto& [key, pages] : cells) {
    put_varint(plain, (key >> 32U) - (before >> 32U));
    before = key;
  }
  for (const auto& [key, pages] : cells) put_varint(plain, key & 0xffffffffU);
  for (const auto& [key, pages] : cells) put_varint(plain, pages);
  return data.add(deflated(plain));
}

}  // namespace

std::uint32_t FineGrid::cell(std::span<const std::uint64_t> accesses) {
  const auto all =
      static_cast<double>(std::accumulate(accesses.begin(), accesses.end(), std::uint64_t{0}));
  const double least = accesses.size() > 1 ? 1.0 / static_cast<double>(accesses.size()) : 0;
  const double place = (exclusivity_of(accesses) - least) / (1 - least);
  const auto column = static_cast<std::uint32_t>(std::max(0.0, place) * kColumns);
  const auto row = static_cast<std::uint32_t>(std::log10(all) * kRowsADecade);
  return row * kColumns + std::min(column, kColumns - 1);
}

json html_exclusivity(const PagesByNode& pages, const Places& places,
                      std::span<const std::uint32_t> objects, HtmlData& data) {
  std::map<std::uint32_t, std::size_t> position;
  for (const std::uint32_t object : objects) position.emplace(object, position.size());
  Cells program;
  std::vector<Cells> of_objects(objects.size());
  std::vector<std::uint64_t> counts;
  for (std::size_t row = 0; row < pages.rows.size(); row = pages.page_end(row)) {
    const std::uint64_t node = places.nodes_of_threads[pages.rows[row].first_touch];
    counts.assign(pages.nodes, 0);
    for (std::size_t part = row; part < pages.page_end(row); ++part) {
      for (std::size_t i = 0; i < pages.nodes; ++i) counts[i] += pages.of(part)[i];
      if (const auto found = position.find(pages.rows[part].object); found != position.end())
        ++of_objects[found->second][node << 32U | FineGrid::cell(pages.of(part))];
    }
    ++program[node << 32U | FineGrid::cell(counts)];
  }
  json parts = json::array();
  for (const Cells& cells : of_objects) parts.push_back(to_json(packed(cells, data)));
  return {{"columns", FineGrid::kColumns},
          {"rows_a_decade", FineGrid::kRowsADecade},
          {"program", to_json(packed(program, data))},
          {"objects", parts}};
}

}  // namespace Atoll::profile
