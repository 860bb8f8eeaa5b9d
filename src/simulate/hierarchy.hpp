// Caches, TLBs, prefetchers and the directory of a machine, together: what each access meets. They
// know nothing of time.
//
// A private cache pair (level 1 within level 2) has one writer or many readers of a line, by MESI
// with silent upgrades of lines that nobody else has. A level 3 cache serves a chip; it includes
// what the chip's private caches have, or has what they dropped.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/cache.hpp"
#include "simulate/counts.hpp"
#include "simulate/directory.hpp"
#include "simulate/line_key.hpp"
#include "simulate/memory_side.hpp"
#include "simulate/outcome.hpp"
#include "simulate/prefetcher.hpp"
#include "simulate/shape.hpp"

namespace Atoll::simulate {

/// Which memory a line belongs to.
class Homes {
 public:
  virtual ~Homes() = default;
  /// The position of the line's memory. A line of page tables that nobody asked for yet belongs to
  /// the memory nearest to `node` from now on.
  [[nodiscard]] virtual std::uint16_t home_of(LineKey line, std::uint32_t node) = 0;
  /// Where in its memory the line lies, counted in lines. Asked for of memories alone that have a
  /// cache in front.
  [[nodiscard]] virtual std::uint64_t line_in_memory(LineKey line) = 0;
};

class Hierarchy {
 public:
  /// `homes` must outlive this.
  Hierarchy(const Shape& shape, Homes& homes);
  /// The caches in front of memories have what `others` have, and never anything else. (A part of a
  /// run can't fill them, and finds them as the whole run left them.) `others` must outlive this.
  void keep_memory_sides(const Hierarchy& others) { kept_sides_ = &others.sides_; }

  /// What hits so that there is no more to it.
  enum class Hit : std::uint8_t {
    no,     ///< it may hit all the same
    quick,  ///< level 1, in the page of the core's last access
    page    ///< level 1, in a page that the first TLB has
  };
  /// Does the access, if that is what it is. Else access() has to.
  [[nodiscard]] Hit hit(const Seat& seat, LineKey line, std::uint64_t page, PageClass size,
                        bool write) {
    Core& core = cores_[seat.core];
    Hit kind = Hit::quick;
    if (core.last_page != page || core.last_size != size) {
      if (core.tlb1[static_cast<std::size_t>(size)].use(page) == nullptr) return Hit::no;
      core.last_page = page;
      core.last_size = size;
      kind = Hit::page;
    }
    const std::uint64_t* const entry = core.l1.use(line);
    return entry != nullptr && (!write || (*entry & kWritable) != 0) ? kind : Hit::no;
  }
  /// True if the access would be a hit() now.
  [[nodiscard]] bool would_hit(const Seat& seat, LineKey line, std::uint64_t page, PageClass size,
                               bool write) {
    Core& core = cores_[seat.core];
    const std::uint64_t* const entry = core.l1.find(line);
    return entry != nullptr && (!write || (*entry & kWritable) != 0) &&
           core.tlb1[static_cast<std::size_t>(size)].find(page) != nullptr;
  }
  /// True if no other core has to give the line up for the access.
  [[nodiscard]] bool has(const Seat& seat, LineKey line, bool write) {
    Cache& l2 = privates_[seat.l2].l2;
    if (l2.sets() == 0) return false;  // it hasn't been used yet
    const std::uint64_t* const entry = l2.find(line);
    return entry != nullptr && (!write || (*entry & kOwned) != 0);
  }
  /// Tells the host's processor that the core will access the line soon.
  [[gnu::always_inline]] void expect(const Seat& seat, LineKey line) {
    Private& one = privates_[seat.l2];
    cores_[seat.core].l1.expect(line);
    one.l2.expect(line);
    directory_.expect(line);
  }
  /// Any access to one line. `page` is the number of the page of that size, with the process as
  /// LineKey has it; `side` is appended to.
  void access(const Seat& seat, LineKey line, std::uint64_t page, PageClass size,
              std::uint16_t home, bool write, Outcome& outcome, std::vector<SideTraffic>& side);

  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// For tests: throws std::logic_error if a line has a writer and another holder.
  void check(LineKey line);

 private:
  // Flags of lines. Level 1: kWritable says that level 2 has the line as owned and dirty.
  static constexpr std::uint8_t kWritable = 1;  ///< of level 1
  static constexpr std::uint8_t kOwned = 1;     ///< of level 2: nobody else has it
  static constexpr std::uint8_t kDirty = 2;     ///< of levels 2 and 3
  struct Core {
    Cache l1;
    std::array<Cache, kPageClasses> tlb1, tlb2;
    std::array<Cache, 2> walk_cache;  ///< of tables whose entries span 2 MiB, 1 GiB
    std::uint64_t last_page = ~std::uint64_t{0};
    PageClass last_size = PageClass::small;
  };
  struct Private {  ///< a level 2 cache and what is before it
    Cache l2;
    Prefetcher prefetcher{0, 0, 6};
    std::vector<std::uint32_t> cores;
  };
  void walk(const Seat& seat, std::uint64_t page, PageClass size, Outcome& outcome,
            std::vector<SideTraffic>& side);
  /// Reads or writes one line through all levels.
  void fetch(const Seat& seat, LineKey line, std::uint16_t home, bool write, bool is_walk,
             Fetch& found, Upgrade& upgrade, std::vector<SideTraffic>& side);
  /// The level 2 cache doesn't have it. Returns its entry there.
  std::uint64_t* fetch_beyond(const Seat& seat, LineKey line, std::uint16_t home, bool write,
                              Fetch& found, std::vector<SideTraffic>& side);
  /// Takes the line away from all but one private cache.
  Upgrade invalidate_others(const Seat& seat, LineKey line);
  /// `its` is the line's entry in the directory. Returns the one in the cache.
  std::uint64_t* put_in_l2(const Seat& seat, LineKey line, Directory::Entry& its,
                           std::uint8_t flags, std::vector<SideTraffic>& side);
  void put_in_l3(std::uint32_t chip, LineKey line, Directory::Entry& its, bool dirty,
                 bool takes_ownership, std::vector<SideTraffic>& side);
  void drop_from_l3(std::uint32_t chip, const Cache::Evicted& evicted,
                    std::vector<SideTraffic>& side);
  void prefetch(const Seat& seat, LineKey line, std::uint16_t home, std::vector<SideTraffic>& side);
  void write_back(LineKey line, std::vector<SideTraffic>& side);
  using Mask = std::vector<std::uint64_t>;  ///< holders, as entries of the directory have them
  [[nodiscard]] static bool has_some(const Directory::Entry& entry, const Mask& mask);
  /// Takes a line out of a level 2 cache and what is before it. Returns its flags.
  std::uint8_t take_from_private(std::uint32_t l2, LineKey line);
  [[nodiscard]] bool row_is_open(std::uint16_t home, std::uint64_t row);
  /// A line is read from its memory, or goes back there: notes what it meets there.
  void reach_memory(LineKey line, bool write, Fetch& fetch);
  [[nodiscard]] std::uint32_t holder_of_l3(std::uint32_t chip) const { return shape_.l2s + chip; }
  /// Of a line's number: what is above is the same within what a stream goes on in.
  [[nodiscard]] int stream_bits(PageClass size) const {
    if (shape_.prefetch_crosses > 1) return kAddressBits - shape_.line_bits;
    const auto pages =
        static_cast<std::size_t>(shape_.prefetch_crosses > 0 ? size : PageClass::small);
    return kPageBits[pages] - shape_.line_bits;
  }
  [[nodiscard]] bool has_l3() const { return shape_.l3.entries > 0; }
  [[nodiscard]] std::uint32_t chip_of(std::uint32_t holder) const {
    return holder < shape_.l2s ? shape_.chip_of_l2[holder] : holder - shape_.l2s;
  }
  /// Makes the caches of a seat. Those that nobody uses take no memory.
  void make(const Seat& seat);
  /// Takes lines out of the directory that no cache has any more.
  void forget_empty();

  Shape shape_;
  Homes* homes_;
  std::vector<Core> cores_;
  std::vector<Private> privates_;
  std::vector<Cache> l3s_;
  std::vector<Cache> rows_;        ///< open rows, by memory
  std::vector<MemorySide> sides_;  ///< by memory; empty: none has such a cache
  const std::vector<MemorySide>* kept_sides_ = nullptr;
  std::vector<Mask> l2s_of_chip_;
  Directory directory_;
  std::vector<LineKey> empty_;  ///< lines that are perhaps in no cache, until the access ends
  Counts counts_;
};

}  // namespace Atoll::simulate
