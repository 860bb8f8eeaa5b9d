// Selects types and the program's functions for the widths of a run's ids.
#pragma once

#include <cstdint>
#include <type_traits>

#include "atoll/graph/graph.hpp"
#include "atoll/program/program.hpp"

namespace Atoll::program {

/// Calls `body` with the unsigned types of these widths, as graph::with_id_types() does.
template <class Body>
void with_id_types(graph::IdWidths widths, Body&& body) {
  if (widths.node == graph::IdWidth::wide)
    return body.template operator()<std::uint64_t, std::uint64_t>();
  if (widths.edge == graph::IdWidth::wide)
    return body.template operator()<std::uint32_t, std::uint64_t>();
  return body.template operator()<std::uint32_t, std::uint32_t>();
}

template <class Node, class Edge>
[[nodiscard]] const Functions<Node, Edge>& functions_of(const Entry& entry) {
  if constexpr (std::is_same_v<Node, std::uint64_t>)
    return entry.wide;
  else if constexpr (std::is_same_v<Edge, std::uint64_t>)
    return entry.mixed;
  else
    return entry.narrow;
}

}  // namespace Atoll::program
