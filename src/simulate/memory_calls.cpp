#include "simulate/memory_calls.hpp"

namespace Atoll::simulate {

PagePolicy MemoryCalls::policy_of(const recording::StreamPlacement& call) const {
  return recording::asked_by(call.mode, call.mask, model_->memories);
}

void MemoryCalls::range(std::uint64_t process, const recording::StreamPlacement& call) {
  using Kind = recording::RecordKind;
  if (call.address + call.bytes < call.address) return;
  ranges_[process].update(call.address, call.address + call.bytes, [&](Range& range) {
    if (call.kind == Kind::policy_of_range)
      range.policy = policy_of(call);
    else if (call.kind == Kind::pages_cached)
      range.cached_by = call.thread;
    else
      range.huge = call.enabled;
  });
}

const PagePolicy* MemoryCalls::policy_at(std::uint64_t process, std::uint64_t address) const {
  const Range* const range = find(process, address);
  return range == nullptr || range->policy.how == PagePolicy::How::nothing ? nullptr
                                                                           : &range->policy;
}

std::optional<bool> MemoryCalls::huge_at(std::uint64_t process, std::uint64_t address) const {
  const Range* const range = find(process, address);
  return range == nullptr ? std::nullopt : range->huge;
}

std::optional<std::uint64_t> MemoryCalls::cached_at(std::uint64_t process,
                                                    std::uint64_t address) const {
  const Range* const range = find(process, address);
  return range == nullptr ? std::nullopt : range->cached_by;
}

}  // namespace Atoll::simulate
