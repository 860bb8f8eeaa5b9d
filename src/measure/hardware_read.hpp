// Takes the readings that figures of the hardware are made of.
#pragma once

#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/measure/hardware.hpp"
#include "measure/hardware_fit.hpp"

namespace Atoll::measure {

/// Reads this computer, as measure_hardware() says. Appends to `notes` what couldn't be read.
[[nodiscard]] HardwareReadings read_hardware(const Machine& machine, const HardwareOptions& options,
                                             std::vector<std::string>& notes);

}  // namespace Atoll::measure
