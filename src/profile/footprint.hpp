// Footprint by epoch: the number of pages that are accessed in each slice of the run's time.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

struct Footprint {
  std::vector<std::uint64_t> program;                  ///< pages, by epoch
  std::vector<std::vector<std::uint64_t>> of_objects;  ///< a shared page counts for each object
};

[[nodiscard]] Footprint footprint(const PagesByNode& pages, int epochs, std::size_t objects);

}  // namespace Atoll::profile
