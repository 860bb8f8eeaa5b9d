// Takes the readings from which hardware figures are computed.
#pragma once

#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/measure/hardware.hpp"
#include "measure/hardware_fit.hpp"

namespace Atoll::measure {

/// Takes the readings for measure_hardware(). Appends readings that weren't possible to `notes`.
[[nodiscard]] HardwareReadings read_hardware(const Machine& machine, const HardwareOptions& options,
                                             std::vector<std::string>& notes);

}  // namespace Atoll::measure
