// The first line of a METIS graph, and a parser for the numbers of its lines.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "graph/edge_lines.hpp"

namespace Atoll::graph {

struct MetisHead {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  bool sizes = false;
  bool edge_weights = false;
  int constraints = 0;
};

/// Removes the next non-negative integer from `line`. Returns std::nullopt if the next word isn't
/// one; `line` is empty if there is no next word.
[[nodiscard]] inline std::optional<std::uint64_t> next_number(std::string_view& line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  std::uint64_t number = 0;
  const char* const end = line.data() + line.size();
  const auto [after, problem] = std::from_chars(line.data(), end, number);
  if (problem != std::errc{} || (after != end && !is_blank(*after))) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(after - line.data()));
  return number;
}

/// Returns std::nullopt and sets `wrong` to the reason if the line isn't the first line of a METIS
/// graph.
[[nodiscard]] std::optional<MetisHead> read_metis_head(std::string_view line, std::string& wrong);

}  // namespace Atoll::graph
