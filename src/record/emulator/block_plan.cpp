// Tracks each register as a symbol plus a constant. A register that gets an unknown value gets a
// new symbol.
#include "record/emulator/block_plan.hpp"

namespace Atoll::record::dbi {
namespace {

constexpr std::uint16_t kNone = 0xFFFF;
// Symbols of values at the block's entry: register i has kFirstSymbol + i.
constexpr std::uint32_t kFirstSymbol = 1, kFirstAbsolute = kFirstSymbol + 16;

template <typename T>
bool fits(std::int64_t value) {
  return value == static_cast<T>(value);
}

}  // namespace

void BlockPlan::forget() {
  for (Value& value : registers_) value = {next_symbol_++, 0};
  absolute_ = next_symbol_++;
}

void BlockPlan::begin() {
  instructions_ = seen_count_ = open_count_ = entry_count_ = 0;
  next_symbol_ = kFirstSymbol;
  forget();
}

void BlockPlan::see(const MemoryOperand& access, bool is_pair) {
  const Address& address = access.address;
  Key key = {absolute_, 0, 1, address.segment};
  auto offset = static_cast<std::uint64_t>(address.displacement);
  if (address.base != kNoRegister) {
    key.base = registers_[address.base].symbol;
    offset += static_cast<std::uint64_t>(registers_[address.base].offset);
  }
  if (address.index != kNoRegister) {
    key.index = registers_[address.index].symbol;
    key.scale = address.scale;
    offset += static_cast<std::uint64_t>(registers_[address.index].offset) * address.scale;
  }
  const auto number = static_cast<std::uint16_t>(seen_count_++);
  seen_[number] = {access, static_cast<std::int64_t>(offset),
                   static_cast<std::uint16_t>(instructions_), kNone, is_pair};
  std::size_t found = open_count_;
  while (found != 0 && !(open_[found - 1].key == key)) --found;
  if (found != 0 && open_[found - 1].members < kMaxMembers) {
    Open& open = open_[found - 1];
    seen_[open.last].next = number;
    open.last = number;
    ++open.members;
  } else {
    open_[open_count_++] = {key, 1, number, number, false};
  }
}

void BlockPlan::add(const Instruction& instruction) {
  Watch& watch = watches_[instructions_];
  if (!instruction.known) {
    watch.what = Watch::What::each;
    forget();
  } else {
    watch.what = Watch::What::nothing;
    for (unsigned i = 0; i < instruction.accesses; ++i)
      see(instruction.access[i], instruction.accesses == 2);
    registers_[kRsp].offset += instruction.stack_change;
    if (instruction.to != kNoRegister) {
      registers_[instruction.to] = registers_[instruction.from];
      registers_[instruction.to].offset += instruction.amount;
    }
    for (unsigned written = instruction.written; written != 0; written &= written - 1)
      registers_[__builtin_ctz(written)] = {next_symbol_++, 0};
  }
  ++instructions_;
}

/// Returns the group, or null if the accesses can't be one. Sets `origin`, relative to the key's
/// address.
const Group* BlockPlan::group_of(const Open& open, std::int64_t& origin) const {
  Members members;
  std::int64_t offsets[kMaxMembers] = {};
  for (std::uint16_t i = open.first; i != kNone; i = seen_[i].next) {
    const Seen& seen = seen_[i];
    std::uint32_t at = members.count++;  // insertion sort by offset
    for (; at != 0 && offsets[at - 1] > seen.offset; --at) {
      offsets[at] = offsets[at - 1];
      members.member[at] = members.member[at - 1];
    }
    offsets[at] = seen.offset;
    members.member[at] = {0, seen.access.bytes, seen.access.is_store};
  }
  origin = offsets[0] & ~std::int64_t{3};  // multiple of 4, the assumed alignment of the key's
                                           // address
  for (std::uint32_t i = 0; i < members.count; ++i) {
    if (!fits<std::int32_t>(offsets[i] - origin)) return nullptr;
    members.member[i].offset = static_cast<std::int32_t>(offsets[i] - origin);
  }
  return find_group(members);
}

/// Makes the block's entry count the group. Returns false if it can't.
bool BlockPlan::enter(const Open& open, const EntryRules& rules) {
  const Key& key = open.key;
  if (key.base > kFirstAbsolute || key.index >= kFirstAbsolute || key.segment != 0) return false;
  const Seen& first = seen_[open.first];
  AtEntry& entry = entries_[entry_count_];
  entry.access = first.access;
  entry.group = nullptr;
  std::int64_t displacement = first.offset;
  if (open.members != 1) {
    entry.group = group_of(open, displacement);
    if (entry.group == nullptr) return false;
  }
  Address& address = entry.access.address;
  const bool fixed = key.base == kFirstAbsolute, indexed = key.index != 0;
  address.base = fixed ? kNoRegister : static_cast<Register>(key.base - kFirstSymbol);
  address.index = indexed ? static_cast<Register>(key.index - kFirstSymbol) : kNoRegister;
  address.scale = key.scale;
  address.displacement = displacement;
  // The callback's data has no room for both.
  if (fixed && indexed) return false;
  if (fixed) displacement -= static_cast<std::int64_t>(rules.near);
  if (indexed || (fixed && entry.group != nullptr)) {
    if (!fits<std::int32_t>(displacement)) return false;
  } else if (entry.group != nullptr && !fits<std::int16_t>(displacement)) {
    return false;
  }
  ++entry_count_;
  return true;
}

/// Chooses the instruction whose callback counts the group. Returns false if no instruction can.
bool BlockPlan::lead(const Open& open) {
  const Seen* best = nullptr;
  int least = 4;
  for (std::uint16_t i = open.first; i != kNone; i = seen_[i].next) {
    const Seen& seen = seen_[i];
    if (watches_[seen.instruction].what != Watch::What::nothing) continue;
    const int cost = seen.access.bytes > 8 ? 2 : seen.is_pair ? 1 : 0;
    if (cost >= least) continue;
    least = cost;
    best = &seen;
  }
  if (best == nullptr) return false;
  Watch& watch = watches_[best->instruction];
  watch.access = best->access;
  if (open.members == 1 && least != 1) {
    watch.what = Watch::What::one;
    return true;
  }
  std::int64_t origin = 0;
  watch.group = group_of(open, origin);
  if (watch.group == nullptr || !fits<std::int16_t>(origin - best->offset)) return false;
  watch.origin = static_cast<std::int16_t>(origin - best->offset);
  watch.of_two = least == 1;
  watch.what = Watch::What::group;
  return true;
}

/// Resets all choices except What::each. Accesses of such instructions are removed from their
/// groups.
void BlockPlan::start_over() {
  for (std::size_t i = 0; i < instructions_; ++i)
    if (watches_[i].what != Watch::What::each) watches_[i].what = Watch::What::nothing;
  for (std::size_t group = 0; group < open_count_; ++group) {
    Open& open = open_[group];
    if (open.members == 0) continue;
    std::uint16_t* link = &open.first;
    open.members = 0;
    for (std::uint16_t i = open.first; i != kNone; i = seen_[i].next) {
      if (watches_[seen_[i].instruction].what == Watch::What::each) continue;
      *link = i;
      link = &seen_[i].next;
      ++open.members;
    }
    *link = kNone;
  }
}

/// Chooses each group's instruction, first for groups with one member, which have no alternative.
/// Returns a group for which no instruction can be chosen, or null.
const BlockPlan::Open* BlockPlan::choose_instructions() {
  for (int alone = 1; alone >= 0; --alone)
    for (std::size_t i = 0; i < open_count_; ++i) {
      const Open& open = open_[i];
      if (open.at_entry || open.members == 0 || (open.members == 1) != (alone == 1)) continue;
      if (!lead(open)) return &open;
    }
  return nullptr;
}

const Watch* BlockPlan::finish(const EntryRules& rules) {
  for (;;) {
    entry_count_ = 0;
    for (std::size_t i = 0; i < open_count_; ++i)
      open_[i].at_entry = rules.allowed && open_[i].members != 0 && enter(open_[i], rules);
    const Open* without = choose_instructions();
    if (without == nullptr) return watches_;
    for (std::uint16_t i = without->first; i != kNone; i = seen_[i].next)
      watches_[seen_[i].instruction].what = Watch::What::each;
    start_over();
  }
}

bool BlockPlan::example(Example& found) const {
  for (std::size_t group = 0; group < open_count_; ++group) {
    const Key& key = open_[group].key;
    if (key.base >= kFirstAbsolute || key.index != 0 || key.segment != 0) continue;
    for (std::uint16_t i = open_[group].first; i != kNone; i = seen_[i].next)
      if (!seen_[i].is_pair && seen_[i].access.bytes <= 8) {
        found = {seen_[i].instruction, static_cast<Register>(key.base - kFirstSymbol),
                 seen_[i].offset};
        return true;
      }
  }
  return false;
}

}  // namespace Atoll::record::dbi
