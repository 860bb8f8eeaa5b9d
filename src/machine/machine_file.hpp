// Names in machine files (docs/machine-file.md), shared by reader and writer.
#pragma once

#include <optional>
#include <string_view>

#include "atoll/machine/machine.hpp"

namespace Atoll::detail {

inline constexpr std::string_view kVersionKey = "atoll_machine";
inline constexpr int kVersion = 1;

inline constexpr Origin kOrigins[] = {Origin::measured, Origin::firmware,  Origin::datasheet,
                                      Origin::paper,    Origin::estimated, Origin::user};
inline constexpr Ordering kOrderings[] = {Ordering::latency, Ordering::bandwidth,
                                          Ordering::capacity};

}  // namespace Atoll::detail
