// A simple reference implementation of caches, TLBs and coherence. It searches lists linearly and
// has no directory. Slow, for tests only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "simulate/hierarchy.hpp"

namespace Atoll::simulate {

/// One cache level: sets of entries, most recently used first.
struct PlainCache {
  struct Entry {
    std::uint64_t key;
    bool writable = false, owned = false, dirty = false;
  };
  PlainCache(std::uint64_t entries, std::uint64_t set_ways)
      : ways(std::min(set_ways, std::max<std::uint64_t>(entries, 1))), sets(entries / ways) {}
  Entry* find(std::uint64_t key) {
    if (sets.empty()) return nullptr;
    for (Entry& entry : sets[key % sets.size()])
      if (entry.key == key) return &entry;
    return nullptr;
  }
  Entry* use(std::uint64_t key) {
    if (find(key) == nullptr) return nullptr;
    auto& set = sets[key % sets.size()];
    const auto at = std::find_if(set.begin(), set.end(), [&](auto& one) { return one.key == key; });
    set.splice(set.begin(), set, at);
    return &set.front();
  }
  std::optional<Entry> insert(const Entry& entry) {
    if (sets.empty()) return entry;
    auto& set = sets[entry.key % sets.size()];
    set.push_front(entry);
    if (set.size() <= ways) return std::nullopt;
    const Entry last = set.back();
    set.pop_back();
    return last;
  }
  void remove(std::uint64_t key) {
    if (!sets.empty())
      sets[key % sets.size()].remove_if([&](auto& entry) { return entry.key == key; });
  }
  std::uint64_t ways;
  std::vector<std::list<Entry>> sets;
};

class BruteForce {
 public:
  /// `homes_of` returns the memory of each line, and the line's location in that memory.
  BruteForce(const Shape& of, std::vector<HardwareThread> seats_of, Homes& homes_of);
  Outcome access(const HardwareThread& hw_thread, LineKey line, std::uint64_t page, PageClass size,
                 bool write);
  Counts counts;

 private:
  void read_or_write(const HardwareThread& hw_thread, LineKey line, bool write, Fetch& fetch,
                     Upgrade& upgrade);
  void get(const HardwareThread& hw_thread, LineKey line, bool write, Fetch& fetch);
  void leave_l2(std::uint32_t number, const PlainCache::Entry& entry);
  void into_l3(std::uint32_t chip, LineKey line, bool dirty);
  void write_back(LineKey line);
  MemorySideResult at_memory(LineKey line, bool write);
  bool anybody_else(const HardwareThread& hw_thread, LineKey line);
  template <typename Do>
  void for_cores_of(std::uint32_t number, Do what) {
    for (const HardwareThread& hw_thread : hw_threads)
      if (hw_thread.l2 == number) what(l1[hw_thread.core]);
  }

  Shape shape;
  Homes& homes;
  std::vector<PlainCache> sides;           ///< one memory-side cache per memory
  std::vector<HardwareThread> hw_threads;  ///< one hardware thread of each core
  std::vector<PlainCache> l1, l2, l3;
  std::vector<std::vector<PlainCache>> tlb1, tlb2, tables;
};

}  // namespace Atoll::simulate
