// Parses the first line of a METIS graph, and distinguishes METIS graphs from edge lists.
#include "graph/metis_head.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "graph/metis_text.hpp"

namespace Atoll::graph {

std::optional<MetisHead> read_metis_head(std::string_view line, std::string& wrong) {
  MetisHead head;
  const auto vertices = next_number(line), edges = vertices ? next_number(line) : std::nullopt;
  if (!edges) {
    wrong = "this is no first line of a METIS graph";
    return std::nullopt;
  }
  head.vertices = *vertices;
  head.edges = *edges;
  const std::string_view format = next_word(line);
  if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos) {
    wrong = "the format " + in_quotes(format) + " is unknown";
    return std::nullopt;
  }
  const auto digit = [&](std::size_t from_end) {
    return format.size() >= from_end && format[format.size() - from_end] == '1';
  };
  head.edge_weights = digit(1);
  head.constraints = digit(2) ? 1 : 0;
  head.sizes = digit(3);
  if (line.find_first_not_of(" \t\r\v\f") == std::string_view::npos) return head;
  const auto constraints = next_number(line);
  const bool ends = line.find_first_not_of(" \t\r\v\f") == std::string_view::npos;
  if (!constraints || !ends || *constraints > 1000 || (*constraints > 0) != digit(2)) {
    wrong = "the number of weights a vertex doesn't fit the format";
    return std::nullopt;
  }
  head.constraints = static_cast<int>(*constraints);
  return head;
}

namespace {

bool named_as_metis(std::string_view name) {
  for (const std::string_view packed : {".gz", ".zst", ".xz", ".bz2"})
    if (name.ends_with(packed)) {
      name.remove_suffix(packed.size());
      break;
    }
  return name.ends_with(".graph");
}

std::size_t count_numbers(std::string_view line) {
  std::size_t count = 0;
  while (next_number(line)) ++count;
  return count;
}

/// Returns the neighbours in a row; std::nullopt if the line can't be a row.
std::optional<std::vector<std::uint64_t>> neighbours_in(std::string_view line,
                                                        const MetisHead& head, std::uint64_t self) {
  std::vector<std::uint64_t> neighbours;
  for (int i = 0; i < head.constraints + (head.sizes ? 1 : 0); ++i)
    if (!next_number(line)) return std::nullopt;
  while (const auto id = next_number(line)) {
    if (*id < 1 || *id > head.vertices || *id == self) return std::nullopt;
    if (head.edge_weights && !next_number(line)) return std::nullopt;
    neighbours.push_back(*id);
  }
  if (line.find_first_not_of(" \t\r\v\f") != std::string_view::npos) return std::nullopt;
  std::sort(neighbours.begin(), neighbours.end());
  return neighbours;
}

}  // namespace

bool is_metis_graph(std::string_view head, std::string_view name) {
  if (named_as_metis(name)) return true;
  const bool whole = head.size() < 4096;
  std::optional<MetisHead> first;
  std::size_t head_numbers = 0;
  bool as_edges = true;  // each line so far could be an edge
  std::vector<std::vector<std::uint64_t>> rows;
  for (std::string wrong; !head.empty();) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos && !whole) break;
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(head.size(), line.size() + 1));
    if (line.starts_with('%')) continue;
    if (!first) {
      first = read_metis_head(line, wrong);
      if (!first || first->vertices == 0 || first->edges == 0) return false;
      head_numbers = count_numbers(line);
    } else if (rows.size() == first->vertices) {
      if (line.find_first_not_of(" \t\r\v\f") != std::string_view::npos) return false;
    } else {
      auto row = neighbours_in(line, *first, rows.size() + 1);
      if (!row) return false;
      as_edges = as_edges && count_numbers(line) == head_numbers;
      rows.push_back(std::move(*row));
    }
  }
  if (!first || rows.size() < 2 || as_edges || (whole && rows.size() < first->vertices))
    return false;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const std::uint64_t id : rows[i])
      if (id <= rows.size() && !std::binary_search(rows[id - 1].begin(), rows[id - 1].end(), i + 1))
        return false;
  return true;
}

}  // namespace Atoll::graph
