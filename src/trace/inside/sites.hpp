// All sites of the process by their stacks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/inside/site_heap.hpp"

namespace Atoll::trace::inside {

/// The site of this stack, told to the hooks if it is new; null: out of memory.
[[nodiscard]] HeapSite* find_site(const std::uint64_t* stack, std::uint32_t levels);
/// Code at [begin, end) was unloaded: what calls from there now is another site.
void forget_sites(std::uint64_t begin, std::uint64_t end);
/// How many there are.
[[nodiscard]] std::uint32_t count_sites();
/// Site i < count_sites().
[[nodiscard]] HeapSite& site_at(std::uint32_t i);

}  // namespace Atoll::trace::inside
