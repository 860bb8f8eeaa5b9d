// Cache organisation as reported by the processor.
#pragma once

#include <map>

#include "atoll/machine/hardware.hpp"

namespace Atoll::measure {

/// Returns the ways of each level, and whether level 3 is inclusive, from CPUID (Intel's leaf 4,
/// AMD's 0x8000001D) with Origin::firmware; empty on other processors.
[[nodiscard]] std::map<HardwareFigure, RangedFigure> cache_ways();

}  // namespace Atoll::measure
