// Registers are followed as a symbol plus a constant: what is written to one in a way that isn't
// understood is a new symbol.
#include "trace/dbi/groups.hpp"

#include <stdlib.h>
#include <string.h>

#include "trace/recorder/counting.hpp"

namespace Atoll::trace::dbi {
namespace {

constexpr std::uint16_t kNoGroup = 0xFFFF;
constexpr std::int64_t kFarthest = 1 << 20;  ///< of a member from its group's origin
constexpr unsigned kLinesInPage = sizeof(recorder::Block::lines) / sizeof(recorder::Line);

/// The groups that there are: a hash table that only grows.
class Groups {
 public:
  /// Null: out of memory.
  const Group* find(const Members& wanted) {
    if (2 * used_ >= size_ && !grow()) return nullptr;
    const Group** entry = entry_of(wanted);
    if (*entry == nullptr) {
      *entry = make(wanted);
      if (*entry != nullptr) ++used_;
    }
    return *entry;
  }

 private:
  static bool alike(const Members& a, const Members& b) {
    if (a.origin != b.origin || a.count != b.count) return false;
    for (std::uint32_t i = 0; i < a.count; ++i)
      if (a.member[i].offset != b.member[i].offset || a.member[i].bytes != b.member[i].bytes ||
          a.member[i].is_store != b.member[i].is_store)
        return false;
    return true;
  }

  static std::uint64_t hash(const Members& members) {
    std::uint64_t mixed = static_cast<std::uint64_t>(members.origin);
    for (std::uint32_t i = 0; i < members.count; ++i) {
      const Member& member = members.member[i];
      mixed ^= static_cast<std::uint32_t>(member.offset);
      mixed ^= std::uint64_t{member.bytes} << 33 ^ std::uint64_t{member.is_store} << 40;
      mixed *= 0x9e3779b97f4a7c15U;
      mixed ^= mixed >> 29;
    }
    return mixed;
  }

  [[nodiscard]] const Group** entry_of(const Members& members) const {
    std::size_t at = hash(members) & (size_ - 1);
    while (table_[at] != nullptr && !alike(members_of(table_[at]), members))
      at = (at + 1) & (size_ - 1);
    return table_ + at;
  }

  bool grow() {
    const std::size_t old_size = size_, size = old_size == 0 ? 1024 : 2 * old_size;
    const Group** old = table_;
    auto** table = static_cast<const Group**>(calloc(size, sizeof(void*)));
    if (table == nullptr) return false;
    table_ = table;
    size_ = size;
    for (std::size_t i = 0; i < old_size; ++i)
      if (old[i] != nullptr) *entry_of(members_of(old[i])) = old[i];
    free(old);
    return true;
  }

  /// A group's lines for an origin at `place` in its line; returns their number, 0 if an access
  /// lies in two.
  static std::uint16_t lines_of(const Members& members, std::int32_t place, LineCounts* lines) {
    std::uint16_t count = 0;
    for (std::uint32_t i = 0; i < members.count; ++i) {
      const Member& member = members.member[i];
      const std::int32_t first = place + member.offset, last = first + member.bytes - 1;
      if (first >> 6 != last >> 6) return 0;
      const auto offset = static_cast<std::uint32_t>(first >> 6) * sizeof(recorder::Line);
      std::uint16_t at = 0;
      while (at < count && lines[at].offset != offset) ++at;
      if (at == count) lines[count++] = {0, static_cast<std::uint32_t>(offset), 0, false};
      lines[at].words |=
          recorder::words_of(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last));
      lines[at].counts += member.is_store ? recorder::kOneWrite : recorder::kOneRead;
    }
    lines[count - 1].last = true;
    return count;
  }

  static const Group* make(const Members& wanted) {
    Group found = {};
    found.origin = wanted.origin;
    std::uint16_t used = 0;
    for (unsigned place = 0; place < kPlacesInLine; ++place) {
      const std::uint16_t count =
          lines_of(wanted, static_cast<std::int32_t>(place) * 4, found.lines + used);
      if (count == 0) continue;
      found.place[place].begin =
          static_cast<std::uint16_t>(offsetof(Group, lines) + used * sizeof(LineCounts));
      used = static_cast<std::uint16_t>(used + count);
      const std::uint32_t last = found.lines[used - 1].offset / sizeof(recorder::Line);
      if (last < kLinesInPage)
        found.place[place].limit =
            static_cast<std::uint16_t>((kLinesInPage - last) * kPlacesInLine);
    }
    const std::size_t bytes = offsetof(Group, lines) + used * sizeof(LineCounts);
    auto* members = static_cast<Members*>(malloc(sizeof(Members) + bytes));
    if (members == nullptr) return nullptr;
    *members = wanted;
    memcpy(members + 1, &found, bytes);
    return reinterpret_cast<const Group*>(members + 1);
  }

  const Group** table_ = nullptr;
  std::size_t size_ = 0, used_ = 0;
};

Groups groups;

}  // namespace

void BlockPlan::forget() {
  for (Value& value : registers_) value = {next_symbol_++, 0};
  absolute_ = next_symbol_++;
}

void BlockPlan::begin() {
  instructions_ = seen_count_ = open_count_ = 0;
  next_symbol_ = 1;
  forget();
}

void BlockPlan::see(const Access& access) {
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
  std::size_t group = open_count_;
  while (group != 0 && !(open_[group - 1].key == key)) --group;
  if (group == 0 || open_[group - 1].members == kMostMembers) {
    open_[open_count_] = {key, 0};
    group = ++open_count_;
  }
  ++open_[group - 1].members;
  seen_[seen_count_++] = {access, static_cast<std::int64_t>(offset),
                          static_cast<std::uint16_t>(instructions_),
                          static_cast<std::uint16_t>(group - 1)};
}

void BlockPlan::add(const Instruction& instruction) {
  Watch& watch = watches_[instructions_];
  watch = {};
  if (!instruction.known) {
    forget();
  } else {
    watch.what = Watch::What::nothing;
    for (unsigned i = 0; i < instruction.accesses; ++i) see(instruction.access[i]);
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

/// The group as its leader's callback sees it; null where it can't be one.
const Group* BlockPlan::group_of(std::size_t group, const Seen& leader) const {
  Members members = {};
  std::int64_t offsets[kMostMembers] = {};
  for (std::size_t i = 0; i < seen_count_; ++i) {
    const Seen& seen = seen_[i];
    if (seen.group != group) continue;
    std::uint32_t at = members.count++;  // in their order
    for (; at != 0 && offsets[at - 1] > seen.offset; --at) {
      offsets[at] = offsets[at - 1];
      members.member[at] = members.member[at - 1];
    }
    offsets[at] = seen.offset;
    members.member[at] = {0, seen.access.bytes, seen.access.is_store};
  }
  const std::int64_t origin = offsets[0] & ~std::int64_t{63};
  for (std::uint32_t i = 0; i < members.count; ++i) {
    const std::int64_t offset = offsets[i] - origin;
    if (offset > kFarthest) return nullptr;
    members.member[i].offset = static_cast<std::int32_t>(offset);
  }
  members.origin = origin - leader.offset;
  return groups.find(members);
}

/// Chooses the instruction whose callback counts the group; false: there is none.
bool BlockPlan::lead(std::size_t group) {
  const Seen* best = nullptr;
  int least = 4;
  for (std::size_t i = 0; i < seen_count_; ++i) {
    const Seen& seen = seen_[i];
    if (seen.group != group || watches_[seen.instruction].what != Watch::What::nothing) continue;
    const bool is_pair = (i != 0 && seen_[i - 1].instruction == seen.instruction) ||
                         (i + 1 != seen_count_ && seen_[i + 1].instruction == seen.instruction);
    const int cost = seen.access.bytes > 8 ? 2 : is_pair ? 1 : 0;
    if (cost >= least) continue;
    least = cost;
    best = &seen;
  }
  if (best == nullptr) return false;
  Watch& watch = watches_[best->instruction];
  watch.access = best->access;
  if (open_[group].members == 1 && least != 1) {
    watch.what = Watch::What::one;
    return true;
  }
  watch.group = group_of(group, *best);
  if (watch.group == nullptr) return false;
  watch.of_two = least == 1;
  watch.what = Watch::What::group;
  return true;
}

/// Takes back all choices but the instructions that are watched by themselves, whose accesses leave
/// their groups.
void BlockPlan::start_over() {
  for (std::size_t i = 0; i < instructions_; ++i)
    if (watches_[i].what != Watch::What::each) watches_[i].what = Watch::What::nothing;
  for (std::size_t i = 0; i < seen_count_; ++i) {
    Seen& seen = seen_[i];
    if (seen.group == kNoGroup || watches_[seen.instruction].what != Watch::What::each) continue;
    --open_[seen.group].members;
    seen.group = kNoGroup;
  }
}

const Watch* BlockPlan::finish() {
  for (bool done = false; !done;) {
    done = true;
    start_over();
    // Those without a choice first.
    for (int alone = 1; alone >= 0 && done; --alone)
      for (std::size_t group = 0; group < open_count_ && done; ++group) {
        if (open_[group].members == 0 || (open_[group].members == 1) != (alone == 1)) continue;
        if (lead(group)) continue;
        for (std::size_t i = 0; i < seen_count_; ++i)
          if (seen_[i].group == group) watches_[seen_[i].instruction].what = Watch::What::each;
        done = false;
      }
  }
  return watches_;
}

}  // namespace Atoll::trace::dbi
