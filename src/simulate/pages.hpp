// Memory of each page of the simulated program: a hash table of touched pages. It is at least half
// full, so a page takes at most 16 bytes, and 8 more if memories have caches in front.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulate/hierarchy.hpp"
#include "simulate/shape.hpp"

namespace Atoll::simulate {

/// A page: its size and its memory.
struct Page {
  PageClass size = PageClass::small;
  std::uint16_t home = 0;
  bool replicated = false;  ///< a copy in each memory of a node with threads
  bool zero = false;        ///< shared zero page: was read but never written
};

class Pages : public Homes {
 public:
  /// `memory_of_node`: nearest memory of each node. `line_bits`: as in Shape.
  Pages(std::vector<std::uint16_t> memory_of_node, int line_bits);

  /// Enables line_in_memory(), for machines with caches in front of memories. Each memory allocates
  /// its pages consecutively, like a freshly started system. Call before the first place(), with
  /// the number of memories.
  void number_pages(std::size_t memories);

  /// Finds the page that contains the address. Returns false if it is unmapped.
  [[nodiscard]] bool find(std::uint64_t process, std::uint64_t address, Page& page) const;
  /// True if pages of 4 KiB exist in the 2 MiB page of that address.
  [[nodiscard]] bool has_small(std::uint64_t process, std::uint64_t address) const;
  /// Maps a page at the address, or replaces it.
  void place(std::uint64_t process, std::uint64_t address, const Page& page);
  /// Replaces a huge page by pages of 4 KiB on the same memory. They don't count as touched.
  void split(std::uint64_t process, std::uint64_t address);
  /// Removes all pages of a range and calls dropped(page) for each. A huge page that is partly in
  /// the range is split first.
  template <class Dropped>
  void discard(std::uint64_t process, std::uint64_t begin, std::uint64_t end, Dropped&& dropped) {
    for_each(process, begin, end, [&](std::uint64_t first, const Page& page) {
      const std::uint64_t bytes = bytes_of(page);
      if (page.size == PageClass::huge && (first < begin || first + bytes > end)) {
        split(process, first);
        return;  // its parts follow
      }
      remove(process, first, page.size);
      dropped(page);
    });
  }
  /// Moves the pages of a range to another address.
  void remap(std::uint64_t process, std::uint64_t begin, std::uint64_t end, std::uint64_t to);
  /// Calls each(first address of the page, page) for the pages of a range. `each` may remove or
  /// split the page; after a split, the parts follow.
  template <class Each>
  void for_each(std::uint64_t process, std::uint64_t begin, std::uint64_t end, Each&& each) {
    if ((end - begin) >> kPageBits[0] > slots_.size()) {  // more addresses than slots
      for (const auto& [first, last] : spans_in(process, begin, end))
        for_each(process, first, last, each);
      return;
    }
    for (std::uint64_t address = begin; address < end;) {
      Page page, after;
      const bool was_there = find(process, address, page);
      const std::uint64_t bytes = bytes_of(page);
      if (was_there) each(address & ~(bytes - 1), page);
      if (was_there && find(process, address, after) && after.size != page.size) continue;
      address = (address & ~(bytes - 1)) + bytes;
    }
  }
  [[nodiscard]] static std::uint64_t bytes_of(const Page& page) {
    return std::uint64_t{1} << kPageBits[static_cast<std::size_t>(page.size)];
  }

  [[nodiscard]] std::uint16_t home_of(LineKey line, std::uint32_t node) override;
  /// Requires number_pages() before the line's page was placed.
  [[nodiscard]] std::uint64_t line_in_memory(LineKey line) override;
  [[nodiscard]] std::uint16_t memory_of(std::uint32_t node) const { return memory_of_node_[node]; }
  /// Number of touched pages of each size, without the shared zero pages.
  [[nodiscard]] const std::array<std::uint64_t, kPageClasses>& touched() const { return touched_; }
  [[nodiscard]] std::size_t bytes() const {
    return slots_.size() * sizeof slots_[0] + frames_.size() * sizeof(std::uint32_t);
  }

 private:
  // Slot: page number in units of its size (36 bits), process (10), size (2), home (12), replicated
  // (1), zero (1), gone (1), used (1). A removed page is marked as gone and keeps its slot, as
  // caches may still hold its lines.
  static constexpr int kNumberBits = 36, kSizeShift = 46, kHomeShift = 48, kReplicatedShift = 60,
                       kZeroShift = 61;
  static constexpr std::uint64_t kGone = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kUsed = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kKey = (std::uint64_t{1} << kHomeShift) - 1;
  [[nodiscard]] static std::uint64_t key_of(std::uint64_t process, std::uint64_t address,
                                            PageClass size);
  [[nodiscard]] static bool is_there(std::uint64_t slot) {
    return slot != 0 && (slot & kGone) == 0;
  }
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const;
  /// Ranges of the mapped pages within a range, one per page, ascending.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> spans_in(
      std::uint64_t process, std::uint64_t begin, std::uint64_t end) const;
  void grow();
  void remove(std::uint64_t process, std::uint64_t address, PageClass size);
  [[nodiscard]] std::uint32_t next_frame(const Page& page);

  std::vector<std::uint16_t> memory_of_node_;
  int line_bits_;
  std::vector<std::uint64_t> slots_;
  std::size_t used_ = 0;
  /// By slot: start of the page in its memory, in units of 4 KiB. Empty without number_pages().
  std::vector<std::uint32_t> frames_;
  std::vector<std::uint32_t> free_frame_;  ///< by memory: next free frame
  std::array<std::uint64_t, kPageClasses> touched_{};
  std::array<std::uint64_t, kPageClasses> there_{};  ///< number of mapped pages of each size
};

}  // namespace Atoll::simulate
