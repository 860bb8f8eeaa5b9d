// Table of all call sites of the process, by call stack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "process/inside/site_heap.hpp"

namespace Atoll::process::inside {

/// Returns the site of this stack; null if memory is short. A new site is reported to the hooks.
[[nodiscard]] HeapSite* find_site(const std::uint64_t* stack, std::uint32_t levels);
/// Called when code at [begin, end) was unloaded. Later calls from these addresses get new sites.
void forget_sites(std::uint64_t begin, std::uint64_t end);
/// Returns the number of sites.
[[nodiscard]] std::uint32_t count_sites();
/// Returns site i < count_sites().
[[nodiscard]] HeapSite& site_at(std::uint32_t i);

}  // namespace Atoll::process::inside
