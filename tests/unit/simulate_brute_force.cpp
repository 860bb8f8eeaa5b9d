#include "simulate_brute_force.hpp"

namespace Atoll::simulate {

BruteForce::BruteForce(const Shape& of, std::vector<HardwareThread> seats_of, Homes& homes_of)
    : shape(of), homes(homes_of), hw_threads(std::move(seats_of)) {
  for (const MemorySideShape& side : of.memory_side)
    sides.emplace_back(side.cache.entries, side.cache.ways);
  for (std::uint32_t i = 0; i < of.cores; ++i) {
    l1.emplace_back(of.l1.entries, of.l1.ways);
    std::vector<PlainCache>& first = tlb1.emplace_back();
    std::vector<PlainCache>& second = tlb2.emplace_back();
    for (std::size_t size = 0; size < kPageClasses; ++size) {
      first.emplace_back(of.tlb1[size].entries, of.tlb1[size].ways);
      second.emplace_back(of.tlb2[size].entries, of.tlb2[size].ways);
    }
    tables.emplace_back(2, PlainCache(of.walk_cache, of.walk_cache));
  }
  l2.assign(of.l2s, PlainCache(of.l2.entries, of.l2.ways));
  l3.assign(of.chips, PlainCache(of.l3.entries, of.l3.ways));
}

Outcome BruteForce::access(const HardwareThread& hw_thread, LineKey line, std::uint64_t page,
                           PageClass size, bool write) {
  Outcome outcome;
  const auto kind = static_cast<std::size_t>(size);
  if (tlb1[hw_thread.core][kind].use(page) == nullptr) {
    ++counts.tlb1_misses;
    outcome.second_tlb = tlb2[hw_thread.core][kind].use(page) != nullptr;
    if (!outcome.second_tlb) {
      ++counts.tlb2_misses;
      // Walks the page table from the lowest level whose entry is cached; if none is, from the
      // entries for 1 GiB.
      int top = static_cast<int>(size);
      for (int level = top + 1; level <= 2; ++level) {
        PlainCache& known = tables[hw_thread.core][static_cast<std::size_t>(level) - 1];
        const std::uint64_t number = page >> (9 * (level - static_cast<int>(size)));
        if (known.use(number) != nullptr) break;
        known.insert({number});
        top = level;
      }
      for (int level = top; level >= static_cast<int>(size); --level) {
        const std::uint64_t number = page >> (9 * (level - static_cast<int>(size)));
        const std::uint64_t address =
            (static_cast<std::uint64_t>(level) << 46) + (number * 8) % (std::uint64_t{1} << 46);
        Upgrade upgrade = Upgrade::none;
        read_or_write(hw_thread, line_key(kTables, address, shape.line_bits), false,
                      outcome.walk[outcome.walk_steps++], upgrade);
      }
      tlb2[hw_thread.core][kind].insert({page});
    }
    tlb1[hw_thread.core][kind].insert({page});
  }
  read_or_write(hw_thread, line, write, outcome.data, outcome.upgrade);
  return outcome;
}

void BruteForce::read_or_write(const HardwareThread& hw_thread, LineKey line, bool write,
                               Fetch& fetch, Upgrade& upgrade) {
  PlainCache::Entry* const here = l1[hw_thread.core].use(line);
  fetch.line = line;
  fetch.source = Source::l1;
  if (here != nullptr && (!write || here->writable)) return;
  PlainCache::Entry* in_l2 = l2[hw_thread.l2].use(line);
  if (here == nullptr) {
    ++counts.l1_misses;
    fetch.source = Source::l2;
    if (in_l2 == nullptr) {
      ++counts.l2_misses;
      get(hw_thread, line, write, fetch);
      in_l2 = l2[hw_thread.l2].find(line);
    }
  }
  if (write && !in_l2->owned) {  // takes ownership: invalidates all other copies
    bool near = false, far = false;
    for (std::uint32_t other = 0; other < shape.l2s; ++other) {
      if (other == hw_thread.l2 || l2[other].find(line) == nullptr) continue;
      (shape.chip_of_l2[other] == hw_thread.chip ? near : far) = true;
      l2[other].remove(line);
      for_cores_of(other, [&](PlainCache& cache) { cache.remove(line); });
    }
    for (std::uint32_t chip = 0; chip < shape.chips; ++chip) {
      PlainCache::Entry* const entry = l3[chip].find(line);
      if (entry == nullptr) continue;
      if (chip == hw_thread.chip && shape.l3_is_inclusive) {
        entry->dirty = false;
        continue;
      }
      far = far || chip != hw_thread.chip;
      l3[chip].remove(line);
    }
    upgrade = far ? Upgrade::far : near ? Upgrade::near : Upgrade::none;
    counts.upgrades_near += upgrade == Upgrade::near;
    counts.upgrades_far += upgrade == Upgrade::far;
  }
  if (write) in_l2->owned = in_l2->dirty = true;
  for (const HardwareThread& sibling : hw_threads) {
    if (sibling.l2 != hw_thread.l2 || sibling.core == hw_thread.core) continue;
    if (write)
      l1[sibling.core].remove(line);
    else if (PlainCache::Entry* const entry = l1[sibling.core].find(line))
      entry->writable = false;
  }
  if (PlainCache::Entry* const entry = l1[hw_thread.core].find(line))
    entry->writable = entry->writable || write;
  else
    l1[hw_thread.core].insert({line, write});
}

bool BruteForce::anybody_else(const HardwareThread& hw_thread, LineKey line) {
  for (std::uint32_t other = 0; other < shape.l2s; ++other)
    if (other != hw_thread.l2 && l2[other].find(line) != nullptr) return true;
  for (std::uint32_t chip = 0; chip < shape.chips; ++chip)
    if ((chip != hw_thread.chip || !shape.l3_is_inclusive) && l3[chip].find(line) != nullptr)
      return true;
  return false;
}

void BruteForce::get(const HardwareThread& hw_thread, LineKey line, bool write, Fetch& fetch) {
  std::optional<std::uint32_t> owner;
  bool on_chip = false;
  for (std::uint32_t other = 0; other < shape.l2s; ++other) {
    PlainCache::Entry* const entry = l2[other].find(line);
    if (entry == nullptr) continue;
    if (entry->owned) owner = other;
    on_chip = on_chip || shape.chip_of_l2[other] == hw_thread.chip;
  }
  const bool there_is_l3 = shape.l3.entries > 0;
  PlainCache::Entry* const in_l3 = l3[hw_thread.chip].find(line);
  std::optional<std::uint32_t> changed_far;
  for (std::uint32_t chip = 0; chip < shape.chips; ++chip)
    if (PlainCache::Entry* const entry = l3[chip].find(line); entry != nullptr && entry->dirty)
      if (chip != hw_thread.chip) changed_far = chip;
  bool brings_changes = false;
  if (owner) {
    PlainCache::Entry* const entry = l2[*owner].find(line);
    const bool near = shape.chip_of_l2[*owner] == hw_thread.chip, dirty = entry->dirty;
    fetch.source = near ? Source::near_cache : dirty ? Source::far_cache : Source::memory;
    entry->owned = entry->dirty = false;
    for_cores_of(*owner, [&](PlainCache& cache) {
      if (PlainCache::Entry* const one = cache.find(line)) one->writable = false;
    });
    if (dirty && near && write) brings_changes = true;
    if (dirty && near && !write && there_is_l3) into_l3(hw_thread.chip, line, true);
    if (dirty && (!near || (!write && !there_is_l3))) write_back(line);
  } else if (in_l3 != nullptr) {
    fetch.source = Source::l3;
    l3[hw_thread.chip].use(line);
    brings_changes = in_l3->dirty && (write || !shape.l3_is_inclusive);
  } else if (changed_far) {
    l3[*changed_far].find(line)->dirty = false;
    fetch.source = Source::far_cache;
    write_back(line);
  } else {
    fetch.source = on_chip ? Source::near_cache : Source::memory;
  }
  if (fetch.source == Source::memory) fetch.memory_side = at_memory(line, false);
  counts.transfers_near += fetch.source == Source::near_cache;
  counts.transfers_far += fetch.source == Source::far_cache;
  counts.l3_misses += fetch.source == Source::memory || fetch.source == Source::far_cache;
  if (there_is_l3) {
    bool others_of_chip = false;
    for (std::uint32_t other = 0; other < shape.l2s; ++other)
      others_of_chip = others_of_chip || (shape.chip_of_l2[other] == hw_thread.chip &&
                                          l2[other].find(line) != nullptr);
    if (l3[hw_thread.chip].find(line) == nullptr) {
      if (shape.l3_is_inclusive) into_l3(hw_thread.chip, line, false);
    } else if (!shape.l3_is_inclusive) {
      if (others_of_chip)
        brings_changes = false;
      else
        l3[hw_thread.chip].remove(line);
    }
  }
  if (const auto evicted = l2[hw_thread.l2].insert({line, false, false, brings_changes}))
    leave_l2(hw_thread.l2, *evicted);
  if (!anybody_else(hw_thread, line)) {
    PlainCache::Entry* const mine = l2[hw_thread.l2].find(line);
    mine->owned = true;
    if (PlainCache::Entry* const entry = l3[hw_thread.chip].find(line);
        entry != nullptr && entry->dirty) {
      entry->dirty = false;
      mine->dirty = true;
    }
  }
}

void BruteForce::write_back(LineKey line) {
  ++counts.write_backs;
  at_memory(line, true);
}

MemorySideResult BruteForce::at_memory(LineKey line, bool write) {
  const std::uint16_t home = homes.home_of(line, 0);
  if (home >= sides.size() || sides[home].sets.empty()) return MemorySideResult::none;
  const std::uint64_t lines = 1ULL << shape.memory_side[home].line_bits;
  const std::uint64_t key = homes.line_in_memory(line) / lines;
  ++counts.memory_side_requests;
  if (PlainCache::Entry* const entry = sides[home].use(key)) {
    entry->dirty = entry->dirty || write;
    return MemorySideResult::hit;
  }
  ++counts.memory_side_misses;
  if (!write || lines > 1) counts.memory_side_fills += lines;
  const auto evicted = sides[home].insert({key, false, false, write});
  if (!evicted || !evicted->dirty) return MemorySideResult::missed;
  counts.memory_side_write_backs += lines;
  return MemorySideResult::missed_changed;
}

void BruteForce::leave_l2(std::uint32_t number, const PlainCache::Entry& entry) {
  for_cores_of(number, [&](PlainCache& cache) { cache.remove(entry.key); });
  if (shape.l3.entries == 0) {
    if (entry.dirty) write_back(entry.key);
    return;
  }
  if (!shape.l3_is_inclusive || entry.dirty)
    into_l3(shape.chip_of_l2[number], entry.key, entry.dirty);
}

void BruteForce::into_l3(std::uint32_t chip, LineKey line, bool dirty) {
  if (PlainCache::Entry* const entry = l3[chip].use(line)) {
    entry->dirty = entry->dirty || dirty;
    return;
  }
  const auto evicted = l3[chip].insert({line, false, false, dirty});
  if (!evicted) return;
  bool changed = evicted->dirty;
  if (shape.l3_is_inclusive)
    for (std::uint32_t other = 0; other < shape.l2s; ++other) {
      PlainCache::Entry* const entry = l2[other].find(evicted->key);
      if (entry == nullptr || shape.chip_of_l2[other] != chip) continue;
      changed = changed || entry->dirty;
      l2[other].remove(evicted->key);
      for_cores_of(other, [&](PlainCache& cache) { cache.remove(evicted->key); });
    }
  if (changed) write_back(evicted->key);
}

}  // namespace Atoll::simulate
