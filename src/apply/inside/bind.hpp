// Binds pages and threads as planned.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apply/inside/table.hpp"

namespace Atoll::apply::inside {

/// Contents of an object's memory before it is bound.
enum class Resident {
  nothing,  ///< no pages are allocated yet
  zeros,    ///< only zeros, in private memory without other users: allocated anew
  data      ///< data: moved; a huge page moves as a whole, to the node of its last part
};

/// Binds all pages of an object as `target` specifies. If a node is full, other nodes are used;
/// allocation never fails. Counts the result in the target.
void bind_pages(Target& target, Level level, std::uintptr_t address, std::size_t bytes,
                Resident resident = Resident::nothing);

/// Binds thread `tid` (0 means the caller) to these units.
void bind_thread(std::int32_t tid, const Units& units);
/// Gets the units that a thread may use. Returns false if the system call fails.
bool units_of_thread(std::int32_t tid, Units& units);
[[nodiscard]] bool operator==(const Units& a, const Units& b);
[[nodiscard]] bool is_empty(const Units& units);

}  // namespace Atoll::apply::inside
