#include "simulate/memory_calls.hpp"

#include <linux/mempolicy.h>

#include <algorithm>
#include <iterator>

namespace Atoll::simulate {
namespace {

constexpr std::uint64_t kPreferredMany = 5, kWeightedInterleave = 6, kModes = 0xff;

}  // namespace

std::optional<std::uint16_t> MemoryCalls::memory_of(std::uint64_t node) const {
  for (std::size_t memory = 0; memory < model_->memories.size(); ++memory)
    if (static_cast<std::uint64_t>(model_->memories[memory].value) == node)
      return static_cast<std::uint16_t>(memory);
  return std::nullopt;
}

Asked MemoryCalls::policy_of(const trace::StreamPlacement& call) const {
  Asked asked;
  const std::uint64_t mode = call.mode & kModes;
  asked.mode = mode;
  for (std::size_t word = 0; word < call.mask.size(); ++word)
    for (int bit = 0; bit < 64; ++bit)
      if ((call.mask[word] >> bit & 1U) != 0)
        if (const auto memory = memory_of(word * 64 + static_cast<unsigned>(bit)); memory)
          asked.memories.push_back(*memory);
  if (mode == MPOL_INTERLEAVE || mode == kWeightedInterleave)
    asked.how = Asked::How::in_turn;
  else if (mode == MPOL_BIND)
    asked.how = Asked::How::only;
  else if (mode == MPOL_PREFERRED)
    asked.how = asked.memories.empty() ? Asked::How::own : Asked::How::first;
  else if (mode == kPreferredMany)
    asked.how = asked.memories.empty() ? Asked::How::own : Asked::How::nearest;
  else if (mode == MPOL_LOCAL)
    asked.how = Asked::How::own;
  return asked;
}

void MemoryCalls::cut(Ranges& ranges, std::uint64_t at) {
  auto after = ranges.upper_bound(at);
  if (after == ranges.begin()) return;
  auto before = std::prev(after);
  if (before->first == at || before->second.end <= at) return;
  ranges.emplace(at, before->second);
  before->second.end = at;
}

void MemoryCalls::range(std::uint64_t process, const trace::StreamPlacement& call) {
  if (call.bytes == 0 || call.address + call.bytes < call.address) return;
  Ranges& ranges = ranges_[process];
  const std::uint64_t end = call.address + call.bytes;
  cut(ranges, call.address);
  cut(ranges, end);
  const auto note = [&](Range& range) {
    if (call.kind == trace::StreamPlacement::Kind::range_policy)
      range.policy = policy_of(call);
    else
      range.huge = call.mode != 0;
  };
  std::uint64_t at = call.address;
  for (auto range = ranges.lower_bound(at); at < end; range = ranges.lower_bound(at)) {
    if (range == ranges.end() || range->first > at) {
      const std::uint64_t stop = range == ranges.end() ? end : std::min(end, range->first);
      range = ranges.emplace(at, Range{.end = stop, .policy = {}, .huge = {}}).first;
    }
    note(range->second);
    at = range->second.end;
  }
}

void MemoryCalls::forget(std::uint64_t process, std::uint64_t begin, std::uint64_t end) {
  const auto its = ranges_.find(process);
  if (its == ranges_.end() || begin >= end) return;
  Ranges& ranges = its->second;
  cut(ranges, begin);
  cut(ranges, end);
  ranges.erase(ranges.lower_bound(begin), ranges.lower_bound(end));
}

const MemoryCalls::Range* MemoryCalls::at(std::uint64_t process, std::uint64_t address) const {
  const auto its = ranges_.find(process);
  if (its == ranges_.end()) return nullptr;
  const auto after = its->second.upper_bound(address);
  if (after == its->second.begin()) return nullptr;
  const auto before = std::prev(after);
  return before->second.end > address ? &before->second : nullptr;
}

const Asked* MemoryCalls::policy_at(std::uint64_t process, std::uint64_t address) const {
  const Range* const range = at(process, address);
  return range == nullptr || range->policy.how == Asked::How::nothing ? nullptr : &range->policy;
}

std::optional<bool> MemoryCalls::huge_at(std::uint64_t process, std::uint64_t address) const {
  const Range* const range = at(process, address);
  return range == nullptr ? std::nullopt : range->huge;
}

}  // namespace Atoll::simulate
