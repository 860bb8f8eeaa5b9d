#include "simulate/hierarchy.hpp"

#include <bit>
#include <stdexcept>

namespace Atoll::simulate {
namespace {

/// Returns the line of the page table entry (8 bytes each) with that number in that level.
LineKey table_line(std::uint64_t number, int level, int line_bits) {
  const std::uint64_t address =
      (static_cast<std::uint64_t>(level) << 46) + (number * 8 & ((std::uint64_t{1} << 46) - 1));
  return line_key(kTables, address, line_bits);
}

}  // namespace

Hierarchy::Hierarchy(const Shape& shape, Homes& homes)
    : shape_(shape),
      homes_(&homes),
      cores_(shape.cores),
      privates_(shape.l2s),
      l3s_(shape.chips),
      rows_(shape.memories, Cache(shape.open_rows, shape.open_rows)),
      directory_(shape.l2s + shape.chips) {
  for (const MemorySideShape& side : shape.memory_side) sides_.emplace_back(side);
  for (std::uint32_t chip = 0; chip < shape.chips; ++chip) {
    Mask& mask = l2s_of_chip_.emplace_back(directory_.words());
    for (std::uint32_t l2 = 0; l2 < shape.l2s; ++l2)
      if (shape.chip_of_l2[l2] == chip) mask[Directory::word_of(l2)] |= Directory::bit_of(l2);
  }
}

bool Hierarchy::has_some(const Directory::Entry& entry, const Mask& mask) {
  for (std::size_t i = 0; i < mask.size(); ++i)
    if ((entry.word(i) & mask[i]) != 0) return true;
  return false;
}

void Hierarchy::make(const HardwareThread& hw_thread) {
  Core& core = cores_[hw_thread.core];
  core.l1 = Cache(shape_.l1.entries, shape_.l1.ways);
  for (std::size_t size = 0; size < kPageClasses; ++size) {
    core.tlb1[size] = Cache(shape_.tlb1[size].entries, shape_.tlb1[size].ways);
    core.tlb2[size] = Cache(shape_.tlb2[size].entries, shape_.tlb2[size].ways);
  }
  for (Cache& cache : core.walk_cache) cache = Cache(shape_.walk_cache, shape_.walk_cache);
  Private& one = privates_[hw_thread.l2];
  one.cores.push_back(hw_thread.core);
  if (one.l2.sets() == 0) {
    one.l2 = Cache(shape_.l2.entries, shape_.l2.ways);
    one.prefetcher =
        Prefetcher(shape_.prefetch_streams, shape_.prefetch_distance, shape_.line_bits);
  }
  if (l3s_[hw_thread.chip].sets() == 0)
    l3s_[hw_thread.chip] = Cache(shape_.l3.entries, shape_.l3.ways);
}

std::uint8_t Hierarchy::take_from_private(std::uint32_t l2, LineKey line) {
  for (const std::uint32_t core : privates_[l2].cores) cores_[core].l1.remove(line);
  return privates_[l2].l2.remove(line).value_or(0);
}

void Hierarchy::access(const HardwareThread& hw_thread, LineKey line, std::uint64_t page,
                       PageClass size, std::uint16_t home, bool write, Outcome& outcome,
                       std::vector<SideTraffic>& side) {
  Core& core = cores_[hw_thread.core];
  if (core.l1.sets() == 0) [[unlikely]]
    make(hw_thread);
  outcome.upgrade = Upgrade::none;
  outcome.second_tlb = false;
  outcome.walk_steps = 0;
  const auto pages = static_cast<std::size_t>(size);
  if (core.tlb1[pages].use(page) == nullptr) {
    ++counts_.tlb1_misses;
    if (core.tlb2[pages].use(page) != nullptr) {
      outcome.second_tlb = true;
    } else {
      ++counts_.tlb2_misses;
      walk(hw_thread, page, size, outcome, side);
      core.tlb2[pages].insert(page, 0);
    }
    core.tlb1[pages].insert(page, 0);
  }
  core.last_page = page;
  core.last_size = size;
  fetch(hw_thread, line, home, write, false, outcome.data, outcome.upgrade, side);
  forget_empty();
}

void Hierarchy::walk(const HardwareThread& hw_thread, std::uint64_t page, PageClass size,
                     Outcome& outcome, std::vector<SideTraffic>& side) {
  // Levels are numbered by the span of one entry: 0: 4 KiB, 1: 2 MiB, 2: 1 GiB. Higher levels
  // always hit.
  const auto lowest = static_cast<int>(size);
  int from = lowest;
  Core& core = cores_[hw_thread.core];
  for (int level = lowest + 1; level <= 2; ++level) {
    const std::uint64_t number = page >> (9 * (level - lowest));
    Cache& known = core.walk_cache[static_cast<std::size_t>(level - 1)];
    if (known.use(number) != nullptr) break;
    known.insert(number, 0);
    from = level;
  }
  for (int level = from; level >= lowest; --level) {
    const LineKey line = table_line(page >> (9 * (level - lowest)), level, shape_.line_bits);
    Upgrade upgrade = Upgrade::none;
    fetch(hw_thread, line, homes_->home_of(line, hw_thread.node), false, true,
          outcome.walk[outcome.walk_steps++], upgrade, side);
  }
}

void Hierarchy::fetch(const HardwareThread& hw_thread, LineKey line, std::uint16_t home, bool write,
                      bool is_walk, Fetch& found, Upgrade& upgrade,
                      std::vector<SideTraffic>& side) {
  Core& core = cores_[hw_thread.core];
  Private& own = privates_[hw_thread.l2];
  found = {line, Source::l1, false, home, 0};
  std::uint64_t* const in_l1 = core.l1.use(line);
  if (in_l1 != nullptr && (!write || (*in_l1 & kWritable) != 0)) return;
  std::uint64_t* in_l2 = own.l2.use(line);
  if (in_l1 == nullptr) {
    ++counts_.l1_misses;
    found.source = Source::l2;
    if (in_l2 == nullptr) {
      ++counts_.l2_misses;
      in_l2 = fetch_beyond(hw_thread, line, write, found, side);
      counts_.transfers_near += found.source == Source::near_cache;
      counts_.transfers_far += found.source == Source::far_cache;
      counts_.l3_misses += found.source == Source::memory || found.source == Source::far_cache;
    }
  }
  if (write) {
    if ((*in_l2 & kOwned) == 0) {
      upgrade = invalidate_others(hw_thread, line);
      if (upgrade == Upgrade::near) ++counts_.upgrades_near;
      if (upgrade == Upgrade::far) ++counts_.upgrades_far;
    }
    *in_l2 |= kOwned | kDirty;
    for (const std::uint32_t other : own.cores)  // the other cores of this level 2 cache
      if (other != hw_thread.core) cores_[other].l1.remove(line);
  } else {
    for (const std::uint32_t other : own.cores)
      if (other != hw_thread.core)
        if (std::uint64_t* const entry = cores_[other].l1.find(line); entry != nullptr)
          *entry &= ~std::uint64_t{kWritable};
  }
  const std::uint8_t flags = write ? kWritable : 0;
  if (in_l1 != nullptr) {
    *in_l1 |= flags;
    return;
  }
  core.l1.insert(line, flags);
  if (!is_walk && shape_.prefetch_streams > 0)
    own.prefetcher.ask(line, stream_bits(core.last_size), [&](LineKey next) {
      directory_.expect(next + Prefetcher::kDegree);
      // Streams that end with the page stay in the page's memory.
      prefetch(hw_thread, next,
               shape_.prefetch_crosses > 1 ? homes_->home_of(next, hw_thread.node) : home, side);
    });
}

std::uint64_t* Hierarchy::fetch_beyond(const HardwareThread& hw_thread, LineKey line, bool write,
                                       Fetch& found, std::vector<SideTraffic>& side) {
  const std::uint32_t chip = hw_thread.chip;
  const std::uint32_t own_l3 = holder_of_l3(chip);
  Cache& l2 = privates_[hw_thread.l2].l2;
  Cache& l3 = l3s_[chip];
  // Prefetches the directory entries of the lines to be evicted below.
  if (const Cache::Key victim = l2.victim_of(line); victim != Cache::kNoKey) {
    directory_.expect(victim);
    if (has_l3()) directory_.expect(l3.victim_of(shape_.l3_is_inclusive ? line : victim));
  }
  Directory::Entry entry = directory_.find_or_add(line);
  const std::uint32_t owner = entry.owner();
  bool dirty = false;  // in the source cache; the line will not be dirty there afterwards
  // 1. Find the source, in this order: a private cache that may have written the line; the chip's
  // level 3 cache; another cache of the chip; another chip's cache that has written it; memory.
  if (owner != Directory::kNoOwner && owner < shape_.l2s) {
    std::uint64_t* const theirs = privates_[owner].l2.find(line);
    const bool theirs_dirty = (*theirs & kDirty) != 0;
    const bool is_near = chip_of(owner) == chip;
    found.source = is_near ? Source::near_cache : theirs_dirty ? Source::far_cache : Source::memory;
    *theirs &= ~std::uint64_t{kOwned | kDirty};
    for (const std::uint32_t other : privates_[owner].cores)
      if (std::uint64_t* const in_l1 = cores_[other].l1.find(line); in_l1 != nullptr)
        *in_l1 &= ~std::uint64_t{kWritable};
    entry.set_owner(Directory::kNoOwner);
    if (theirs_dirty && is_near) {
      if (write)
        dirty = true;
      else if (has_l3())  // others of the chip may read it, so it stays dirty in level 3
        put_in_l3(chip, line, entry, true, true, side);
      else
        write_back(line, side);
    }
    if (!is_near && theirs_dirty) {
      found.holder = static_cast<std::uint16_t>(shape_.node_of_chip[chip_of(owner)]);
      write_back(line, side);
    }
  } else if (entry.holds(own_l3)) {
    found.source = Source::l3;
    std::uint64_t* const ours = l3.use(line);
    dirty = (*ours & kDirty) != 0;
    if (dirty && !write && shape_.l3_is_inclusive) dirty = false;  // it stays dirty there
  } else if (owner != Directory::kNoOwner) {  // dirty in another chip's level 3 cache
    std::uint64_t* const theirs = l3s_[chip_of(owner)].find(line);
    *theirs &= ~std::uint64_t{kDirty};
    entry.set_owner(Directory::kNoOwner);
    found.source = Source::far_cache;
    found.holder = static_cast<std::uint16_t>(shape_.node_of_chip[chip_of(owner)]);
    write_back(line, side);
  } else {
    found.source = has_some(entry, l2s_of_chip_[chip]) ? Source::near_cache : Source::memory;
  }
  if (found.source == Source::memory) reach_memory(line, false, found);
  // 2. Update the holders. An exclusive level 3 cache drops the line, unless other caches of the
  // chip hold it, too.
  const bool in_l3 = entry.holds(own_l3);
  if (in_l3 && !shape_.l3_is_inclusive) {
    if (!has_some(entry, l2s_of_chip_[chip])) {
      l3.remove(line);
      entry.remove(own_l3);
      if (entry.owner() == own_l3) entry.set_owner(Directory::kNoOwner);
    } else {
      dirty = false;  // it stays dirty there
    }
  } else if (!in_l3 && has_l3() && shape_.l3_is_inclusive) {
    put_in_l3(chip, line, entry, false, false, side);
  }
  std::uint64_t* const mine = put_in_l2(hw_thread, line, entry, dirty ? kDirty : 0, side);
  bool alone = true;
  for (std::size_t i = 0; i < directory_.words(); ++i) {
    std::uint64_t others = entry.word(i);
    if (Directory::word_of(hw_thread.l2) == i) others &= ~Directory::bit_of(hw_thread.l2);
    if (shape_.l3_is_inclusive && Directory::word_of(own_l3) == i)
      others &= ~Directory::bit_of(own_l3);
    alone = alone && others == 0;
  }
  if (alone && (entry.owner() == Directory::kNoOwner || entry.owner() == own_l3)) {
    if (entry.owner() == own_l3 && shape_.l3_is_inclusive) {
      // Moves the dirty state to the private cache, which may write the line again.
      *l3.find(line) &= ~std::uint64_t{kDirty};
      *mine |= kDirty;
    }
    *mine |= kOwned;
    entry.set_owner(hw_thread.l2);
  } else if (dirty) {
    entry.set_owner(hw_thread.l2);  // a write, which invalidates the other copies next
  }
  return mine;
}

Upgrade Hierarchy::invalidate_others(const HardwareThread& hw_thread, LineKey line) {
  Directory::Entry entry = directory_.find(line);
  Upgrade upgrade = Upgrade::none;
  const std::uint32_t own_l3 = holder_of_l3(hw_thread.chip);
  for (std::size_t i = 0; i < directory_.words(); ++i)
    for (std::uint64_t holders = entry.word(i); holders != 0; holders &= holders - 1) {
      const std::uint32_t holder = Directory::holder_of(i, std::countr_zero(holders));
      if (holder == hw_thread.l2) continue;
      if (holder == own_l3) {
        if (shape_.l3_is_inclusive) {
          *l3s_[hw_thread.chip].find(line) &= ~std::uint64_t{kDirty};
          continue;
        }
        l3s_[hw_thread.chip].remove(line);
      } else if (holder >= shape_.l2s) {
        l3s_[holder - shape_.l2s].remove(line);
      } else {
        take_from_private(holder, line);
      }
      entry.remove(holder);
      if (chip_of(holder) != hw_thread.chip)
        upgrade = Upgrade::far;
      else if (upgrade == Upgrade::none && holder < shape_.l2s)
        upgrade = Upgrade::near;
    }
  entry.set_owner(hw_thread.l2);
  return upgrade;
}

std::uint64_t* Hierarchy::put_in_l2(const HardwareThread& hw_thread, LineKey line,
                                    Directory::Entry& its, std::uint8_t flags,
                                    std::vector<SideTraffic>& side) {
  its.add(hw_thread.l2);
  Private& own = privates_[hw_thread.l2];
  const auto evicted = own.l2.insert(line, flags);
  std::uint64_t* const mine = own.l2.first_of(line);
  if (!evicted) return mine;
  for (const std::uint32_t core : own.cores) cores_[core].l1.remove(evicted->key);
  Directory::Entry entry = directory_.find(evicted->key);
  entry.remove(hw_thread.l2);
  const bool owned = entry.owner() == hw_thread.l2;
  if (owned) entry.set_owner(Directory::kNoOwner);
  const bool dirty = (evicted->flags & kDirty) != 0;
  if (has_l3()) {
    if (!shape_.l3_is_inclusive || dirty)
      put_in_l3(hw_thread.chip, evicted->key, entry, dirty, dirty, side);
  } else if (dirty) {
    write_back(evicted->key, side);
  }
  if (directory_.is_empty(entry)) empty_.push_back(evicted->key);
  return mine;
}

void Hierarchy::put_in_l3(std::uint32_t chip, LineKey line, Directory::Entry& its, bool dirty,
                          bool takes_ownership, std::vector<SideTraffic>& side) {
  const std::uint32_t holder = holder_of_l3(chip);
  if (takes_ownership) its.set_owner(holder);
  if (its.holds(holder)) {
    std::uint64_t* const ours = l3s_[chip].use(line);
    if (dirty) *ours |= kDirty;
    return;
  }
  its.add(holder);
  if (const auto evicted = l3s_[chip].insert(line, dirty ? kDirty : 0))
    drop_from_l3(chip, *evicted, side);
}

void Hierarchy::drop_from_l3(std::uint32_t chip, const Cache::Evicted& evicted,
                             std::vector<SideTraffic>& side) {
  const std::uint32_t holder = holder_of_l3(chip);
  Directory::Entry entry = directory_.find(evicted.key);
  entry.remove(holder);
  if (entry.owner() == holder) entry.set_owner(Directory::kNoOwner);
  bool dirty = (evicted.flags & kDirty) != 0;
  if (shape_.l3_is_inclusive)
    for (std::uint32_t l2 = 0; l2 < shape_.l2s && has_some(entry, l2s_of_chip_[chip]); ++l2) {
      if (shape_.chip_of_l2[l2] != chip || !entry.holds(l2)) continue;
      dirty = (take_from_private(l2, evicted.key) & kDirty) != 0 || dirty;
      entry.remove(l2);
      if (entry.owner() == l2) entry.set_owner(Directory::kNoOwner);
    }
  if (dirty) write_back(evicted.key, side);
  if (directory_.is_empty(entry)) empty_.push_back(evicted.key);
}

void Hierarchy::forget_empty() {
  for (const LineKey line : empty_) directory_.remove_empty(line);
  empty_.clear();
}

void Hierarchy::prefetch(const HardwareThread& hw_thread, LineKey line, std::uint16_t home,
                         std::vector<SideTraffic>& side) {
  if (const Directory::Entry entry = directory_.find(line); entry.is_there()) {
    if (entry.holds(hw_thread.l2)) return;
    if (entry.owner() != Directory::kNoOwner && entry.owner() != holder_of_l3(hw_thread.chip))
      return;  // don't take it from a cache that writes it
  }
  Fetch found{line, Source::l2, false, home, 0};
  fetch_beyond(hw_thread, line, false, found, side);
  ++counts_.prefetches;
  counts_.prefetches_from_memory += found.source == Source::memory;
  side.push_back({SideTraffic::Kind::prefetch, found});
}

void Hierarchy::check(LineKey line) {
  Directory::Entry entry = directory_.find(line);
  std::uint32_t writers = 0, readers = 0;
  for (std::uint32_t l2 = 0; l2 < shape_.l2s; ++l2) {
    const std::uint64_t* const found = privates_[l2].l2.find(line);
    if (found == nullptr) continue;
    if (!entry.is_there() || !entry.holds(l2)) throw std::logic_error("a holder isn't known");
    ++((*found & kOwned) != 0 ? writers : readers);
    if ((*found & kOwned) == 0 && (*found & kDirty) != 0)
      throw std::logic_error("changed without being owned");
    if ((*found & kOwned) != 0 && entry.owner() != l2)
      throw std::logic_error("the owner isn't known");
  }
  if (writers > 1 || (writers == 1 && readers > 0))
    throw std::logic_error("a writer and another holder");
}

}  // namespace Atoll::simulate
