#include "profile/memory_local_share.hpp"

namespace Atoll::profile {

double memory_local_share(const Summary& summary) {
  double local = 0, all = 0;
  for (std::size_t row = 0; row < summary.by_node.rows.size(); ++row) {
    const PageRow& page = summary.by_node.rows[row];
    const std::uint32_t home = summary.places.node_of(page.first_touch, page.page);
    for (const MemoryTraffic::Entry& entry : summary.memory.of(row)) {
      const double lines = entry.lines + entry.written + entry.passed;
      all += lines;
      if (entry.node == home) local += lines;
    }
  }
  return all > 0 ? local / all : 0;
}

}  // namespace Atoll::profile
