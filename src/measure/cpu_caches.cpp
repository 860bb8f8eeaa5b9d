#include "measure/cpu_caches.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace Atoll::measure {

std::map<HardwareFigure, RangedFigure> cache_ways() {
  std::map<HardwareFigure, RangedFigure> figures;
#ifdef __x86_64__
  using enum HardwareFigure;
  const auto add = [&](HardwareFigure figure, double value) {
    figures[figure] = {value, value, value, {Origin::firmware, "CPUID"}};
  };
  for (const unsigned leaf : {4U, 0x8000001DU})
    for (unsigned index = 0; index < 8; ++index) {
      unsigned a = 0, b = 0, c = 0, d = 0;
      if (__get_cpuid_count(leaf, index, &a, &b, &c, &d) == 0) break;
      const unsigned type = a & 31, level = a >> 5 & 7;
      if (type == 0) break;
      if (type == 2) continue;  // instruction cache
      const double ways = (b >> 22) + 1;
      if (level == 1) add(l1_ways, ways);
      if (level == 2) add(l2_ways, ways);
      if (level != 3) continue;
      add(l3_ways, ways);
      add(l3_inclusive, (d & 2) != 0 ? 1 : 0);
    }
#endif
  return figures;
}

}  // namespace Atoll::measure
