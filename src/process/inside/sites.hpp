// All sites of the process by their stacks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "process/inside/site_heap.hpp"

namespace Atoll::process::inside {

/// Returns the site of this stack, which is reported to the hooks if it is new; null if memory is
/// short.
[[nodiscard]] HeapSite* find_site(const std::uint64_t* stack, std::uint32_t levels);
/// Code at [begin, end) was unloaded: calls from there are other sites from now on.
void forget_sites(std::uint64_t begin, std::uint64_t end);
/// Returns how many there are.
[[nodiscard]] std::uint32_t count_sites();
/// Returns site i < count_sites().
[[nodiscard]] HeapSite& site_at(std::uint32_t i);

}  // namespace Atoll::process::inside
