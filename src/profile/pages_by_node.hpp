// A profile as seen from nodes: how often each node's threads access each page of each object.
// Exclusivity, balance and the what-ifs are computed from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profile/places.hpp"

namespace Atoll::profile {

/// One page of one object.
struct PageRow {
  std::uint64_t page = 0;
  std::uint32_t process = 0;
  std::uint32_t object = 0;
  std::uint64_t epochs = 0;       ///< bit i: somebody accessed the page in epoch i
  std::uint32_t first_touch = 0;  ///< a thread
  std::uint32_t samples = 0;      ///< how often a sampler sees it: once in each epoch with accesses
  friend bool operator==(const PageRow&, const PageRow&) = default;
};

struct PagesByNode {
  std::size_t nodes = 0;
  std::vector<PageRow> rows;            ///< ascending by process, page, object
  std::vector<std::uint64_t> accesses;  ///< by row and node

  [[nodiscard]] std::span<const std::uint64_t> of(std::size_t row) const {
    return std::span(accesses).subspan(row * nodes, nodes);
  }
  /// Returns the end of the rows of the same page as `row`.
  [[nodiscard]] std::size_t page_end(std::size_t row) const {
    std::size_t end = row + 1;
    while (end < rows.size() && rows[end].page == rows[row].page &&
           rows[end].process == rows[row].process)
      ++end;
    return end;
  }
};

/// Runs of one epoch tell nothing about time, so their pages get this many samples.
inline constexpr std::uint32_t kSamplesUnknown = 16;

[[nodiscard]] PagesByNode pages_by_node(const Profile& profile, const Places& places);

}  // namespace Atoll::profile
