// Where the pages of the simulated program lie: a hash table of touched pages. It is at least half
// full, so a page takes 16 bytes at most, and 8 more where memories have caches in front of them.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/hierarchy.hpp"
#include "simulate/shape.hpp"

namespace Atoll::simulate {

/// A page: its size, and the memory it lies in.
struct Page {
  PageClass size = PageClass::small;
  std::uint16_t home = 0;
  bool replicated = false;  ///< a copy in each memory that `home` isn't needed for
};

class Pages : public Homes {
 public:
  /// `memory_of_node`: the nearest memory of each node. `line_bits`: as in Shape.
  Pages(std::vector<std::uint16_t> memory_of_node, int line_bits);

  /// Memories have caches in front: from now on, it is known where in its memory each page lies.
  /// Each memory gives its pages away one after the other, as a system does that has just begun.
  /// Call it before the first place(), with how many memories there are.
  void number_pages(std::size_t memories);

  /// The page that has the address; false: nobody has touched it.
  [[nodiscard]] bool find(std::uint64_t process, std::uint64_t address, Page& page) const;
  /// From now on it has.
  void place(std::uint64_t process, std::uint64_t address, const Page& page);

  [[nodiscard]] std::uint16_t home_of(LineKey line, std::uint32_t node) override;
  /// Of a line whose page was placed, after number_pages().
  [[nodiscard]] std::uint64_t line_in_memory(LineKey line) override;
  [[nodiscard]] std::uint16_t memory_of(std::uint32_t node) const { return memory_of_node_[node]; }
  /// How many pages of each size were touched.
  [[nodiscard]] const std::array<std::uint64_t, kPageClasses>& touched() const { return touched_; }
  [[nodiscard]] std::size_t bytes() const {
    return slots_.size() * sizeof slots_[0] + frames_.size() * sizeof(std::uint32_t);
  }

 private:
  // A slot: page number in units of its size (36 bits), process (10), size (2), home (12),
  // replicated (1), and one bit that is set.
  static constexpr int kNumberBits = 36, kSizeShift = 46, kHomeShift = 48, kReplicatedShift = 60;
  static constexpr std::uint64_t kUsed = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kKey = (std::uint64_t{1} << kHomeShift) - 1;
  [[nodiscard]] static std::uint64_t key_of(std::uint64_t process, std::uint64_t address,
                                            PageClass size);
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const;
  void grow();
  [[nodiscard]] std::uint32_t next_frame(const Page& page);

  std::vector<std::uint16_t> memory_of_node_;
  int line_bits_;
  std::vector<std::uint64_t> slots_;
  std::size_t used_ = 0;
  /// By slot, in units of 4 KiB: where in its memory the page begins. Empty: it isn't asked for.
  std::vector<std::uint32_t> frames_;
  std::vector<std::uint32_t> free_frame_;  ///< by memory: what it gives away next
  std::array<std::uint64_t, kPageClasses> touched_{};
};

}  // namespace Atoll::simulate
