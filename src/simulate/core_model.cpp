#include "simulate/core_model.hpp"

namespace Atoll::simulate {

CoreModel::Repeats CoreModel::repeat(std::span<const RepeatedAccess> all, std::uint64_t most,
                                     Ticks until) {
  std::size_t next = 0;
  for (std::uint64_t done = 0; done < most; ++done, next = next + 1 == all.size() ? 0 : next + 1) {
    if (now_ >= until) return {done, false};
    begin(all[next].what);
    if (now_ >= until) return {done, true};
    if (all[next].is_quick)
      quick(all[next].what, all[next].line);
    else
      hit(all[next].what, all[next].line);
  }
  return {most, false};
}

void CoreModel::wait_for_line(Ticks until, std::uint32_t object) {
  if (until <= now_) return;
  objects_[object] += until - now_;
  wait_until(until, kCoherence);
}

void CoreModel::page_fault(Ticks ticks, std::uint32_t object) {
  stack_.add(kFaults, ticks);
  objects_[object] += ticks;
  now_ += ticks;
}

}  // namespace Atoll::simulate
