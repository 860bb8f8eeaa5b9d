#include "record/emulator/group.hpp"

#include <stdlib.h>
#include <string.h>

#include "atoll/base/hash.hpp"
#include "record/counting.hpp"

namespace Atoll::record::dbi {

alignas(Group) std::uint8_t groups_memory[kGroupsBytes];

namespace {

constexpr std::int32_t kFarthest = 1 << 20;  // largest offset of a member from the origin

bool alike(const Members& a, const Members& b) {
  if (a.count != b.count) return false;
  for (std::uint32_t i = 0; i < a.count; ++i)
    if (a.member[i].offset != b.member[i].offset || a.member[i].bytes != b.member[i].bytes ||
        a.member[i].is_store != b.member[i].is_store)
      return false;
  return true;
}

std::uint64_t hash(const Members& members) {
  std::uint64_t mixed = 0;
  for (std::uint32_t i = 0; i < members.count; ++i) {
    const Member& member = members.member[i];
    mixed = hash_more(mixed, static_cast<std::uint32_t>(member.offset) ^
                                 std::uint64_t{member.bytes} << 33 ^
                                 std::uint64_t{member.is_store} << 40);
  }
  return mixed;
}

/// Computes a group's lines for one place of its origin. Returns their number, or 0 if a member
/// crosses lines.
unsigned lines_of(const Members& members, std::int32_t place, LineCounts* lines) {
  unsigned count = 0;
  for (std::uint32_t i = 0; i < members.count; ++i) {
    const Member& member = members.member[i];
    const std::int32_t first = place + member.offset, last = first + member.bytes - 1;
    const auto line = static_cast<std::uint16_t>(first >> 6);
    if (first >> 6 != last >> 6) return 0;
    if (count == 0 || lines[count - 1].line != line) lines[count++] = {0, line, 0, 0, false};
    lines[count - 1].counts += member.is_store ? record::kOneWrite : record::kOneRead;
    lines[count - 1].words |=
        record::words_of(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last));
  }
  for (unsigned i = 0; i < count; ++i) lines[i].farthest = lines[count - 1].line;
  lines[count - 1].last = true;
  return count;
}

/// All groups: a hash table that only grows.
class Groups {
 public:
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
  [[nodiscard]] const Group** entry_of(const Members& members) const {
    std::size_t at = hash(members) & (size_ - 1);
    while (table_[at] != nullptr && !alike(table_[at]->members, members))
      at = (at + 1) & (size_ - 1);
    return table_ + at;
  }

  bool grow() {
    const std::size_t old_size = size_, size = old_size == 0 ? 4096 : 2 * old_size;
    const Group** old = table_;
    auto** table = static_cast<const Group**>(calloc(size, sizeof(void*)));
    if (table == nullptr) return false;
    table_ = table;
    size_ = size;
    for (std::size_t i = 0; i < old_size; ++i)
      if (old[i] != nullptr) *entry_of(old[i]->members) = old[i];
    free(old);
    return true;
  }

  const Group* make(const Members& wanted) {
    constexpr std::size_t kMax =
        sizeof(Group) + Group::kPlaces * (kMaxMembers * sizeof(LineCounts) + sizeof(LinePair));
    static_assert(kMax <= UINT16_MAX);
    if (memory_used_ + kMax > kGroupsBytes) return nullptr;
    auto* group = reinterpret_cast<Group*>(groups_memory + memory_used_);
    group->members = wanted;
    for (std::uint32_t i = 0; i < wanted.count; ++i)
      group->counts += wanted.member[i].is_store ? record::kOneWrite : record::kOneRead;
    std::size_t bytes = sizeof(Group);
    group->is_narrow = true;
    for (unsigned place = 0; place < Group::kPlaces; ++place) {
      LineCounts lines[kMaxMembers];
      const unsigned count = lines_of(wanted, static_cast<std::int32_t>(4 * place), lines);
      if (count == 0) continue;
      if (count == 1) group->words[place] = lines->words;
      memcpy(groups_memory + memory_used_ + bytes, lines, count * sizeof *lines);
      group->lines[place] = static_cast<std::uint16_t>(bytes);
      group->is_narrow = group->is_narrow && lines->farthest <= 1;
      bytes += count * sizeof(LineCounts);
    }
    if (group->is_narrow) bytes = add_pairs(group, bytes);
    memory_used_ += (bytes + alignof(Group) - 1) / alignof(Group) * alignof(Group);
    return group;
  }

  /// Appends LinePairs to the group's data. Returns the new size in bytes.
  static std::size_t add_pairs(Group* group, std::size_t bytes) {
    for (unsigned place = 0; place < Group::kPlaces; ++place) {
      if (group->words[place] != 0) continue;
      auto* pair = reinterpret_cast<LinePair*>(reinterpret_cast<std::uint8_t*>(group) + bytes);
      if (group->lines[place] == 0) {
        *pair = {{record::kFull, record::kFull}, {0, 0}};
      } else {
        const LineCounts* lines = group->lines_at(place);
        *pair = {{lines[0].counts, lines[1].counts}, {lines[0].words, lines[1].words}};
      }
      group->pairs[place] = static_cast<std::uint16_t>(bytes);
      bytes += sizeof(LinePair);
    }
    return bytes;
  }

  const Group** table_ = nullptr;
  std::size_t size_ = 0, used_ = 0, memory_used_ = 0;
};

Groups groups;

}  // namespace

const Group* find_group(const Members& members) {
  return members.member[members.count - 1].offset > kFarthest ? nullptr : groups.find(members);
}

}  // namespace Atoll::record::dbi
