// The content of a Graph: its sections, each in memory of its own or within the mapped file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "atoll/graph/graph.hpp"
#include "graph/pages.hpp"

namespace Atoll::graph {

struct Graph::State {
  struct Content {
    bool there = false;
    std::span<const std::byte> bytes;
    Pages own;                ///< the memory behind `bytes`; empty for a part of the mapped file
    bool given_back = false;  ///< true if a part of it was given back for good
  };

  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint64_t merged = 0;  ///< entries that became one with others when the rows were built
  IdWidth node_width = IdWidth::narrow;
  IdWidth edge_width = IdWidth::narrow;
  std::array<Content, kSections> sections;
  Content label_begin;  ///< N + 1 offsets of 8 bytes into label_text
  Content label_text;
  std::vector<std::string> value_names;
  Content value_text;   ///< the names, each with a zero behind it
  Content values;       ///< for each name, in their order, 8 bytes for each edge: a double, or
  Content value_kinds;  ///< where this byte of the name's isn't 0, a std::int64_t; if not there: 0
  Pages file;           ///< the mapped file, if there is one

  [[nodiscard]] Content& section(Section which) {
    return sections[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] const Content& section(Section which) const {
    return sections[static_cast<std::size_t>(which)];
  }
};

/// A section in memory of its own.
template <class Id>
void adopt(Graph::State::Content& content, Buffer<Id>&& ids) {
  const std::size_t bytes = ids.size() * sizeof(Id);
  content.own = std::move(ids).take();
  content.bytes = {content.own.data(), bytes};
  content.there = true;
}

template <class Id>
inline constexpr IdWidth kWidthOf = sizeof(Id) == 8 ? IdWidth::wide : IdWidth::narrow;

/// Ids have 32 bits up to this number of nodes, or edges, of a graph. The value itself is left out,
/// as it means "none".
inline constexpr std::uint64_t kNarrowBelow = 0xffffffffU;

}  // namespace Atoll::graph
