// The content of a Graph: its sections, each in its own memory or within the mapped file.
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
    Pages own;              ///< the memory of `bytes`; empty if they are in the mapped file
    bool released = false;  ///< true if a part was released and can't be read again
  };

  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint64_t merged = 0;  ///< entries that were merged into others when the rows were built
  IdWidth node_width = IdWidth::narrow;
  IdWidth edge_width = IdWidth::narrow;
  std::array<Content, kSections> sections;
  Content label_begin;  ///< N + 1 offsets of 8 bytes into label_text
  Content label_text;
  std::vector<std::string> value_names;
  Content value_text;   ///< the names, each followed by a zero byte
  Content values;       ///< for each name in order, 8 bytes for each edge: double or std::int64_t
  Content value_kinds;  ///< a byte for each name: not 0 if std::int64_t; missing: all double
  Pages file;           ///< the mapped file, if any

  [[nodiscard]] Content& section(Section which) {
    return sections[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] const Content& section(Section which) const {
    return sections[static_cast<std::size_t>(which)];
  }
};

/// Gives the section its own memory.
template <class Id>
void adopt(Graph::State::Content& content, Buffer<Id>&& ids) {
  const std::size_t bytes = ids.size() * sizeof(Id);
  content.own = std::move(ids).take();
  content.bytes = {content.own.data(), bytes};
  content.there = true;
}

template <class Id>
inline constexpr IdWidth kWidthOf = sizeof(Id) == 8 ? IdWidth::wide : IdWidth::narrow;

/// Ids have 32 bits if a graph has fewer nodes (or edges) than this. The value itself is excluded
/// because it means NIL.
inline constexpr std::uint64_t kNarrowBelow = 0xffffffffU;

}  // namespace Atoll::graph
