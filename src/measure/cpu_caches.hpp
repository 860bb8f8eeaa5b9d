// What the processor itself says of its caches' organisation.
#pragma once

#include <map>

#include "atoll/machine/hardware.hpp"

namespace Atoll::measure {

/// Ways of each level, and whether level 3 is inclusive, as the processor's CPUID tells (Intel's
/// leaf 4, AMD's 0x8000001D), with Origin::firmware; empty on other processors.
[[nodiscard]] std::map<HardwareFigure, RangedFigure> cache_ways();

}  // namespace Atoll::measure
