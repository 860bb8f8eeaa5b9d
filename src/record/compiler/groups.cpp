// Decides which accesses share a lookup. A group ends at a call: the accesses after the call may
// not execute, or may belong to another task.
#include "record/compiler/groups.hpp"

#include <llvm/IR/DataLayout.h>

#include <algorithm>

#include "record/compiler/abi.hpp"

namespace Atoll::record::compiled {
namespace {

using namespace llvm;

constexpr std::int64_t kLine = 64;

std::uint32_t count_of(const InstructionAccess& access) {
  return access.memory ? static_cast<std::uint32_t>((access.bytes + 7) / 8) : 1;
}

/// Adds `part` and returns true if one lookup still covers the group: all parts are within 64
/// bytes, and the set of words in use is known. If the alignment is below 8, all words between the
/// first and the last count as used, so a gap of 8 bytes or more is refused.
bool join(Group& group, const Part& part) {
  const std::int64_t end = part.offset + static_cast<std::int64_t>(part.bytes);
  const std::int64_t begin = std::min(group.begin, part.offset);
  if (std::max(group.end, end) - begin > kLine) return false;
  if (group.reads() + part.reads > kMaxAccesses || group.writes() + part.writes > kMaxAccesses)
    return false;
  const bool aligned = part.align >= 8 || group.alignment().align >= 8;
  const std::int64_t hole = std::max(part.offset - group.end, group.begin - end);
  if (!aligned && hole >= 8) return false;
  group.begin = begin;
  group.end = std::max(group.end, end);
  const auto same = llvm::find_if(group.parts, [&](const Part& other) {
    return other.offset == part.offset && other.bytes == part.bytes && other.memory == part.memory;
  });
  if (same == group.parts.end()) {
    group.parts.push_back(part);
  } else {
    same->reads += part.reads;
    same->writes += part.writes;
    same->align = std::max(same->align, part.align);
  }
  return true;
}

bool ends_groups(const Instruction& at) {
  if (const auto* call = dyn_cast<CallBase>(&at)) return !is_harmless_call(*call);
  return isa<FenceInst>(at);
}

}  // namespace

Group::Alignment Group::alignment() const {
  const Part* best = &parts.front();
  for (const Part& part : parts)
    if (part.align > best->align) best = &part;
  const std::uint64_t align = std::min<std::uint64_t>(best->align, kLine);
  return {align, static_cast<std::uint64_t>(begin - best->offset) & (align - 1)};
}

std::uint32_t Group::reads() const {
  std::uint32_t sum = 0;
  for (const Part& part : parts) sum += part.reads;
  return sum;
}

std::uint32_t Group::writes() const {
  std::uint32_t sum = 0;
  for (const Part& part : parts) sum += part.writes;
  return sum;
}

std::vector<Group> groups_of(const std::vector<InstructionAccess>& accesses,
                             const DataLayout& layout) {
  std::vector<Group> groups;
  std::size_t first_open = 0;
  const Instruction* last = nullptr;
  for (const InstructionAccess& access : accesses) {
    if (access.shape != Shape::plain) continue;
    if (last == nullptr || last->getParent() != access.at->getParent()) {
      first_open = groups.size();
    } else {
      for (; last != access.at; last = last->getNextNode())
        if (ends_groups(*last)) first_open = groups.size();
    }
    last = access.at;
    APInt offset(layout.getIndexTypeSizeInBits(access.pointer->getType()), 0);
    Value* base = access.pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
    const std::uint32_t count = count_of(access);
    const Part part{offset.getSExtValue(),     access.bytes, access.align, access.reads ? count : 0,
                    access.writes ? count : 0, access.memory};
    const auto joined = std::find_if(
        groups.begin() + static_cast<std::ptrdiff_t>(first_open), groups.end(), [&](Group& group) {
          return !access.atomic && !group.atomic && group.base == base && join(group, part);
        });
    if (joined == groups.end())
      groups.push_back({access.at,
                        base,
                        {part},
                        part.offset,
                        part.offset + static_cast<std::int64_t>(part.bytes),
                        access.atomic});
  }
  return groups;
}

}  // namespace Atoll::record::compiled
