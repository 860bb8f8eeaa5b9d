// Renumbers the elements of arrays that a scheduled loop accesses through indices (docs/tasks.md):
// elements are numbered by first use, and the indices are rewritten. Elements that several threads
// write are last; only these need atomic additions or private copies.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "atoll/memory/block.hpp"
#include "atoll/parallel/for_each.hpp"
#include "atoll/parallel/packing.hpp"

namespace Atoll {

/// A permutation of elements. First are the elements that only one thread uses, by thread, in the
/// order of its first use. Next are the elements that several threads write, by the lowest of these
/// threads, in the order of its first use. Unused elements are last. Elements that are only read
/// belong to the lowest thread that uses them.
class Renumbering {
 public:
  enum class Use { read, written };

  /// For each position of the packed loop, uses(position, visit) calls visit(element) for each
  /// element in [0, elements) that the iteration uses, in the order of use. It is called twice for
  /// each position, on the thread that runs the position. Throws Error (input) if an element is out
  /// of range, or if `elements` is 2^32 - 1 or more. The packing's team outlives this object.
  template <class Uses>
  Renumbering(const Packing& packing, std::size_t elements, Use use, Uses&& uses)
      : Renumbering(packing.team(), elements, use) {
    team_->run([&](int which) {
      const auto thread = static_cast<std::uint32_t>(which);
      const Packing::Part part = packing.part(thread);
      for (std::size_t position = part.begin; position < part.end; ++position)
        uses(position, [&](std::size_t element) { meet(element, thread); });
    });
    team_->run([&](int which) {
      const auto thread = static_cast<std::uint32_t>(which);
      const Packing::Part part = packing.part(thread);
      Counts counts;
      for (std::size_t position = part.begin; position < part.end; ++position)
        uses(position, [&](std::size_t element) { number(element, thread, counts); });
      counts_[thread] = counts;
    });
    finish();
  }

  [[nodiscard]] std::size_t size() const { return new_.size(); }
  /// Returns the new number of each element.
  [[nodiscard]] std::span<const std::uint32_t> new_numbers() const { return new_; }
  /// Returns the inverse permutation: the element of each new number.
  [[nodiscard]] std::span<const std::uint32_t> old_numbers() const { return old_; }
  /// Returns the range of new numbers of elements that several threads write.
  [[nodiscard]] Packing::Part shared() const { return shared_; }
  /// Returns the layout of a renumbered array: each element on the node of the thread that it
  /// belongs to.
  [[nodiscard]] const Partitioned& layout() const { return layout_; }

  /// Sets to[new number] = from[element] for all elements. Both spans have size() elements and
  /// don't overlap.
  template <class T>
  void pack(std::span<const T> from, std::span<T> to) const {
    check_size(from.size());
    check_size(to.size());
    for_each_own([&](std::size_t i) { to[i] = from[old_[i]]; });
  }
  /// Sets to[element] = from[new number] for all elements.
  template <class T>
  void unpack(std::span<const T> from, std::span<T> to) const {
    check_size(from.size());
    check_size(to.size());
    for_each_own([&](std::size_t i) { to[old_[i]] = from[i]; });
  }
  /// Replaces each element's old number in `indices` by the new one.
  template <class Index>
  void rewrite(std::span<Index> indices) const {
    for_each(*team_, indices.size(), LoopSchedule::fixed,
             [&](std::size_t i) { indices[i] = static_cast<Index>(new_[indices[i]]); });
  }

 private:
  struct alignas(128) Counts {  // of one thread's elements
    std::uint32_t own = 0;
    std::uint32_t shared = 0;
  };
  static constexpr std::uint32_t kShared = std::uint32_t{1} << 31;  ///< set in `owner_`
  static constexpr std::uint32_t kUnused = kShared - 1;

  Renumbering(const Team& team, std::size_t elements, Use use);
  /// Records that the thread uses the element.
  void meet(std::size_t element, std::uint32_t thread) {
    if (element >= owner_.size()) refuse(element);
    const std::atomic_ref owner(owner_[element]);
    std::uint32_t seen = owner.load(std::memory_order_relaxed), after = 0;
    do {
      const std::uint32_t first = seen & ~kShared;
      after = std::min(first, thread) | (seen & kShared);
      if (first != thread && first != kUnused && written_) after |= kShared;
    } while (after != seen && !owner.compare_exchange_weak(seen, after, std::memory_order_relaxed));
  }
  /// Numbers the element among those of the thread, from 0, if it belongs to the thread and has no
  /// number yet.
  void number(std::size_t element, std::uint32_t thread, Counts& counts) {
    const std::uint32_t owner = owner_[element];
    if ((owner & ~kShared) != thread || new_[element] != kNone) return;
    new_[element] = (owner & kShared) != 0 ? counts.shared++ : counts.own++;
  }
  void finish();
  /// Calls body(new number) for all elements. The thread that an element belongs to makes the call,
  /// so it touches the memory first.
  template <class Body>
  void for_each_own(Body&& body) const {
    team_->run([&](int thread) {
      const std::vector<std::uint64_t>& ends = layout_.ends;
      for (auto part = static_cast<std::size_t>(thread); part < ends.size(); part += counts_.size())
        for (std::size_t i = part == 0 ? 0 : ends[part - 1]; i < ends[part]; ++i) body(i);
    });
  }
  [[noreturn]] void refuse(std::size_t element) const;
  void check_size(std::size_t size) const;

  static constexpr std::uint32_t kNone = UINT32_MAX;
  const Team* team_;
  bool written_;
  std::vector<std::uint32_t> owner_;  ///< by element: lowest thread that uses it, and kShared
  std::vector<std::uint32_t> new_, old_;
  std::vector<Counts> counts_;  ///< by thread
  Packing::Part shared_;
  Partitioned layout_;
};

namespace detail {
/// Returns `then` if i >= first, else `before`, with a conditional move: for random graphs, a
/// branch would be mispredicted for every other element. Compilers offer no way to request it.
[[nodiscard]] inline std::uintptr_t from(std::size_t i, std::size_t first, std::uintptr_t then,
                                         std::uintptr_t before) noexcept {
#ifdef __x86_64__
  asm("cmpq %2, %1\n\tcmovaeq %3, %0" : "+r"(before) : "r"(i), "r"(first), "r"(then) : "cc");
  return before;
#else
  return i >= first ? then : before;
#endif
}
}  // namespace detail

/// Private copies of a part of an array, one for each thread, on the thread's node, zero at first.
/// Threads add to their copies; add_to() then adds the copies to the array.
template <class T>
  requires std::is_arithmetic_v<T>
class PrivateCopies {
 public:
  /// Throws memory::Block's errors. The context outlives this object.
  PrivateCopies(const memory::Context& context, Packing::Part part)
      : context_(context), part_(part) {
    for (const ThreadPlace& place : context.team.places())
      copies_.emplace_back(context, (part.end - part.begin) * sizeof(T), memory::OnNode{place.node},
                           PageSize::huge);
  }
  [[nodiscard]] Packing::Part part() const { return part_; }
  /// Returns the thread's copy. Its element i belongs to element part().begin + i of the array.
  [[nodiscard]] T* of(std::size_t thread) const {
    return reinterpret_cast<T*>(copies_[thread].data());
  }
  /// Maps an index of the array to the thread's target, without a branch: the array's element
  /// before the part, the copy's element in the part. Indices beyond the part are invalid.
  class Target {
   public:
    [[nodiscard]] T& operator[](std::size_t i) const noexcept {
      return *reinterpret_cast<T*>(detail::from(i, first_, copy_, array_) + i * sizeof(T));
    }

   private:
    friend class PrivateCopies;
    Target(T* array, T* copy, std::size_t first) noexcept
        : array_(reinterpret_cast<std::uintptr_t>(array)),
          copy_(reinterpret_cast<std::uintptr_t>(copy) - first * sizeof(T)),
          first_(first) {}
    std::uintptr_t array_, copy_;  ///< integers: `copy_` is no address in the copy
    std::size_t first_;
  };
  [[nodiscard]] Target target(std::size_t thread, std::span<T> array) const {
    return {array.data(), of(thread), part_.begin};
  }
  /// Adds the copies to the array in the order of threads, and resets the copies to 0.
  void add_to(std::span<T> array) {
    T* const to = array.data() + part_.begin;
    for_each_chunk(context_.team, part_.end - part_.begin, LoopSchedule::fixed,
                   [&](std::size_t begin, std::size_t end) {
                     for (std::size_t thread = 0; thread < copies_.size(); ++thread) {
                       T* const from = of(thread);
                       for (std::size_t i = begin; i < end; ++i) {
                         to[i] = static_cast<T>(to[i] + from[i]);
                         from[i] = 0;
                       }
                     }
                   });
  }

 private:
  memory::Context context_;
  Packing::Part part_;
  std::vector<memory::Block> copies_;
};

}  // namespace Atoll
