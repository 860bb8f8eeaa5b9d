// A profile's traffic by page, object and node of the accessing threads. Exclusivity, balance and
// the what-ifs are computed from it.
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
  std::uint64_t epochs = 0;       ///< bit i: the page was accessed in epoch i
  std::uint32_t first_touch = 0;  ///< a thread, or a home (Places::node_of)
  std::uint32_t samples = 0;      ///< expected samples: one in each epoch with accesses
  friend bool operator==(const PageRow&, const PageRow&) = default;
};

struct PagesByNode {
  std::size_t nodes = 0;
  std::vector<PageRow> rows;            ///< ascending by process, page, object
  std::vector<std::uint64_t> accesses;  ///< by row and node

  [[nodiscard]] std::span<const std::uint64_t> of(std::size_t row) const {
    return std::span(accesses).subspan(row * nodes, nodes);
  }
  /// Returns the end of the rows that belong to the same page as `row`.
  [[nodiscard]] std::size_t page_end(std::size_t row) const {
    std::size_t end = row + 1;
    while (end < rows.size() && rows[end].page == rows[row].page &&
           rows[end].process == rows[row].process)
      ++end;
    return end;
  }
};

/// Number of samples of each page if the run has a single epoch, which gives no time information.
inline constexpr std::uint32_t kSamplesUnknown = 16;

[[nodiscard]] PagesByNode pages_by_node(const Profile& profile, const Places& places);

}  // namespace Atoll::profile
