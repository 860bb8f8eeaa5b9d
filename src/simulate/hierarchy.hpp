// Model of a machine's caches, TLBs, prefetchers and directory: computes which level serves each
// access. It has no notion of time.
//
// Coherence is MESI: a line has one writer or many readers among the private caches (a level 2
// cache and its level 1 caches). A cache that holds a line alone may write it without notice. A
// level 3 cache serves a chip. It includes the lines of the chip's private caches, or holds the
// lines that they evict.
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

/// Assignment of lines to memories.
class Homes {
 public:
  virtual ~Homes() = default;
  /// Returns the index of the line's memory. A line of page tables is assigned at its first use to
  /// the memory nearest to `node`.
  [[nodiscard]] virtual std::uint16_t home_of(LineKey line, std::uint32_t node) = 0;
  /// Returns the line's number within its memory. Called only for memories that have a cache in
  /// front.
  [[nodiscard]] virtual std::uint64_t line_in_memory(LineKey line) = 0;
};

class Hierarchy {
 public:
  /// `homes` must outlive this.
  Hierarchy(const Shape& shape, Homes& homes);
  /// Uses the memory-side caches of `others` as read-only contents. (A part of a run can't fill
  /// such caches, so it sees them as the whole run left them.) `others` must outlive this object.
  void keep_memory_sides(const Hierarchy& others) { kept_sides_ = &others.sides_; }

  /// Result of the fast path of a hit.
  enum class Hit : std::uint8_t {
    no,     ///< not handled by the fast path: may be a hit or a miss
    quick,  ///< hits level 1, in the page of the core's last access
    page    ///< hits level 1 and the first-level TLB
  };
  /// Simulates the access if the fast path applies. If it returns Hit::no, the caller calls
  /// access().
  [[nodiscard]] Hit hit(const HardwareThread& hw_thread, LineKey line, std::uint64_t page,
                        PageClass size, bool write) {
    Core& core = cores_[hw_thread.core];
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
  /// True if hit() would return a hit. Changes nothing.
  [[nodiscard]] bool would_hit(const HardwareThread& hw_thread, LineKey line, std::uint64_t page,
                               PageClass size, bool write) {
    Core& core = cores_[hw_thread.core];
    const std::uint64_t* const entry = core.l1.find(line);
    return entry != nullptr && (!write || (*entry & kWritable) != 0) &&
           core.tlb1[static_cast<std::size_t>(size)].find(page) != nullptr;
  }
  /// True if the core's level 2 cache holds the line with the rights that the access needs, which
  /// for a write is ownership.
  [[nodiscard]] bool has(const HardwareThread& hw_thread, LineKey line, bool write) {
    Cache& l2 = privates_[hw_thread.l2].l2;
    if (l2.sets() == 0) return false;  // not used yet
    const std::uint64_t* const entry = l2.find(line);
    return entry != nullptr && (!write || (*entry & kOwned) != 0);
  }
  /// Prefetches the line's entries into the host's cache.
  [[gnu::always_inline]] void expect(const HardwareThread& hw_thread, LineKey line) {
    Private& one = privates_[hw_thread.l2];
    cores_[hw_thread.core].l1.expect(line);
    one.l2.expect(line);
    directory_.expect(line);
  }
  /// Simulates an access to one line. `page` is the number of the page of that size, with the
  /// process as in LineKey. Appends to `side`.
  void access(const HardwareThread& hw_thread, LineKey line, std::uint64_t page, PageClass size,
              std::uint16_t home, bool write, Outcome& outcome, std::vector<SideTraffic>& side);

  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// For tests: throws std::logic_error if a line has both a writer and another holder.
  void check(LineKey line);

 private:
  // Flags of lines. kWritable in level 1 means that level 2 has the line as owned and dirty.
  static constexpr std::uint8_t kWritable = 1;  ///< in level 1
  static constexpr std::uint8_t kOwned = 1;     ///< in level 2: no other cache holds it
  static constexpr std::uint8_t kDirty = 2;     ///< in levels 2 and 3
  struct Core {
    Cache l1;
    std::array<Cache, kPageClasses> tlb1, tlb2;
    std::array<Cache, 2> walk_cache;  ///< indexed by level: tables whose entries span 2 MiB, 1 GiB
    std::uint64_t last_page = ~std::uint64_t{0};
    PageClass last_size = PageClass::small;
  };
  struct Private {  ///< a level 2 cache and its level 1 caches
    Cache l2;
    Prefetcher prefetcher{0, 0, 6};
    std::vector<std::uint32_t> cores;
  };
  void walk(const HardwareThread& hw_thread, std::uint64_t page, PageClass size, Outcome& outcome,
            std::vector<SideTraffic>& side);
  /// Reads or writes one line through all levels.
  void fetch(const HardwareThread& hw_thread, LineKey line, std::uint16_t home, bool write,
             bool is_walk, Fetch& found, Upgrade& upgrade, std::vector<SideTraffic>& side);
  /// Handles a level 2 miss. Returns the line's new entry in level 2.
  std::uint64_t* fetch_beyond(const HardwareThread& hw_thread, LineKey line, bool write,
                              Fetch& found, std::vector<SideTraffic>& side);
  /// Invalidates the line in all other caches.
  Upgrade invalidate_others(const HardwareThread& hw_thread, LineKey line);
  /// Inserts the line into level 2; `its` is its directory entry. Returns the new entry in the
  /// cache.
  std::uint64_t* put_in_l2(const HardwareThread& hw_thread, LineKey line, Directory::Entry& its,
                           std::uint8_t flags, std::vector<SideTraffic>& side);
  void put_in_l3(std::uint32_t chip, LineKey line, Directory::Entry& its, bool dirty,
                 bool takes_ownership, std::vector<SideTraffic>& side);
  void drop_from_l3(std::uint32_t chip, const Cache::Evicted& evicted,
                    std::vector<SideTraffic>& side);
  void prefetch(const HardwareThread& hw_thread, LineKey line, std::uint16_t home,
                std::vector<SideTraffic>& side);
  void write_back(LineKey line, std::vector<SideTraffic>& side);
  using Mask = std::vector<std::uint64_t>;  ///< set of holders, in the format of directory entries
  [[nodiscard]] static bool has_some(const Directory::Entry& entry, const Mask& mask);
  /// Removes a line from a level 2 cache and its level 1 caches. Returns its level 2 flags.
  std::uint8_t take_from_private(std::uint32_t l2, LineKey line);
  [[nodiscard]] bool row_is_open(std::uint16_t home, std::uint64_t row);
  /// Reads the line from its memory, or writes it back: records the outcome in `fetch`.
  void reach_memory(LineKey line, bool write, Fetch& fetch);
  [[nodiscard]] std::uint32_t holder_of_l3(std::uint32_t chip) const { return shape_.l2s + chip; }
  /// Number of low bits of a line number within which a prefetch stream may continue.
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
  /// Allocates the caches of a seat, at its first use. Unused caches take no memory.
  void make(const HardwareThread& hw_thread);
  /// Removes directory entries of lines that no cache holds.
  void forget_empty();

  Shape shape_;
  Homes* homes_;
  std::vector<Core> cores_;
  std::vector<Private> privates_;
  std::vector<Cache> l3s_;
  std::vector<Cache> rows_;        ///< open rows, by memory
  std::vector<MemorySide> sides_;  ///< by memory; empty if no memory has such a cache
  const std::vector<MemorySide>* kept_sides_ = nullptr;
  std::vector<Mask> l2s_of_chip_;
  Directory directory_;
  std::vector<LineKey> empty_;  ///< evicted lines that may be in no cache; empty between accesses
  Counts counts_;
};

}  // namespace Atoll::simulate
