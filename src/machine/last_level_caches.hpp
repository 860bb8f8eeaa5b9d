// The last-level cache of each processing unit: level 3, or level 2 if there is no level 3.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll::detail {

struct LastLevelCaches {
  std::map<int, int> of_unit;     ///< by the system's number of the unit; -1: none
  std::map<int, int> l2_of_unit;  ///< the same for level 2 caches
  int l2_count = 0;
  std::vector<std::uint64_t> l3_bytes;  ///< by cache; 0: a level 2 cache, or of unknown size
};

[[nodiscard]] LastLevelCaches last_level_caches(const Machine& machine);

}  // namespace Atoll::detail
