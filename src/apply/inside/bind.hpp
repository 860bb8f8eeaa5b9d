// Puts pages where the plan says, and threads on the processing units that it gives them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apply/inside/table.hpp"

namespace Atoll::apply::inside {

/// What an object's memory holds before it is bound.
enum class Resident {
  nothing,  ///< its pages come later
  zeros,    ///< the system's, in private memory nobody else knows yet: they are fetched anew
  data      ///< it is moved; a huge page as a whole, to where its last part belongs
};

/// Binds all pages that hold a byte of it as `target` says. Full nodes spill: no page is ever
/// refused. The result is counted in the target.
void bind_pages(Target& target, Level level, std::uintptr_t address, std::size_t bytes,
                Resident resident = Resident::nothing);

/// Binds thread `tid` (0: this one) to these units.
void bind_thread(std::int32_t tid, const Units& units);
/// Finds the units that a thread may use now. Returns false if the system doesn't tell.
bool units_of_thread(std::int32_t tid, Units& units);
[[nodiscard]] bool operator==(const Units& a, const Units& b);
[[nodiscard]] bool is_empty(const Units& units);

}  // namespace Atoll::apply::inside
