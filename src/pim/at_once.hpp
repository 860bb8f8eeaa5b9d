// Fast paths for a thread that requests what it just freed, or frees what it just got. They take no
// lock except a bank's bias and don't read the masks. In all other cases they call the slow path.
#pragma once

#include "atoll/pim/device.hpp"
#include "pim/bank.hpp"

namespace Atoll::pim {

/// Returns made(rectangle), or other(self), which calls allocate_otherwise().
template <class Made, class Other>
[[gnu::always_inline]] inline auto Device::allocate_at_once(Request request, Made made,
                                                            Other other) {
  Visitor* const self = Visitor::current_if_any();
  if (self != nullptr && self->device == id_ && self->request == request) [[likely]] {
    Bank& home = bank(self->bank);
    if (home.lock.enter_biased(*self)) [[likely]] {
      const Place place = home.allocate_parked(self->extent, self->slot);
      if (place == kNowhere) return other(self);
      home.lock.leave_biased(*self);
      return made(Rectangle{self->bank, place, self->extent});
    }
  }
  return other(nullptr);
}

/// Returns false if it did nothing. `block` is emptied before other threads can get its units.
[[gnu::always_inline]] inline bool Device::free_at_once(Block& block) {
  Visitor* const self = Visitor::current_if_any();
  Bank& home = bank(block.bank_);
  if (self == nullptr || !home.lock.enter_biased(*self)) return false;
  const bool parked = home.free_to_slot(block.first_, block.extent_);
  if (parked) block.device_ = nullptr;
  home.lock.leave_biased(*self);
  return parked;
}

}  // namespace Atoll::pim
