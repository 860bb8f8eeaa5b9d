// A list of points and the layout of its arrays: the annotated part of the program [shoal §3.1].
#pragma once

#include <atoll/atoll.hpp>
#include <atoll/base/page_size.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace streamcluster {

/// Parameters that determine the sizes and uses of the arrays.
struct Sizes {
  std::uint64_t least = 0;  ///< minimum number of centres: k1
  std::uint64_t most = 0;   ///< maximum number of centres: k2
  std::uint64_t dimensions = 0;
  std::uint64_t points = 0;   ///< points in a chunk
  std::uint64_t centres = 0;  ///< centres kept from all chunks
};

/// Memory of one array: either as in the original program, one block that the main thread allocates
/// and initializes, or an Atoll::Array.
template <class T>
class Memory {
 public:
  Memory() = default;
  explicit Memory(std::size_t size) : block_(new T[size]()), size_(size) {}
  Memory(const Atoll::memory::Context& context, std::size_t size, const Atoll::Choice& choice)
      : array_(context, size, choice), size_(size) {}

  /// For reading: the copy nearest to the calling thread.
  [[nodiscard]] const T* local() const { return block_ ? block_.get() : array_.local().data(); }
  /// For writing: the only copy, or the master copy of a replicated array.
  [[nodiscard]] T* master() { return block_ ? block_.get() : array_.master().data(); }
  /// Copies written data to the replicas.
  void sync() {
    if (!block_) array_.sync();
  }
  /// Returns, for each copy, the number of pages on each node.
  [[nodiscard]] std::vector<std::map<Atoll::NodeId, std::uint64_t>> pages() const {
    std::vector<std::map<Atoll::NodeId, std::uint64_t>> pages;
    if (!block_) {
      for (const auto& copy : array_.where()) pages.push_back(copy.pages_by_node);
      return pages;
    }
    using Atoll::kPageBytes;
    const auto first = reinterpret_cast<std::uintptr_t>(block_.get()) / kPageBytes * kPageBytes;
    const auto end = reinterpret_cast<std::uintptr_t>(block_.get() + size_);
    const Atoll::memory::Range range{reinterpret_cast<std::byte*>(first),
                                     (end - first + kPageBytes - 1) / kPageBytes * kPageBytes};
    std::vector<Atoll::NodeId> nodes(range.bytes / kPageBytes);
    Atoll::memory::system_backend().locate({&range, 1}, nodes);
    pages.push_back(Atoll::memory::pages_by_node(nodes));
    return pages;
  }

 private:
  std::unique_ptr<T[]> block_;
  Atoll::Array<T> array_;
  std::size_t size_ = 0;
};

/// Estimated number of comparisons of each point in the search of one chunk. An improvement tries 3
/// k2 ln k2 candidates per round, with 6 to 10 rounds in total (counted; see --json). A speedy pass
/// compares with each centre.
inline double comparisons(const Sizes& sizes) {
  const auto most = static_cast<double>(sizes.most);
  return 8 * 3 * most * std::log(most) + 2 * most;
}

inline constexpr std::uint64_t kLineFloats = 16;  // floats in 64 bytes

/// Annotations: the use of each array of a list of points by a search [shoal §3.1, §4]. A thread
/// processes its own points; their rows are random after the first shuffle.
inline std::vector<Atoll::ArrayRequest> requests(const Sizes& sizes, std::uint64_t points,
                                                 const std::string& list) {
  const double times = comparisons(sizes);
  const auto own = [&](double reads, double writes) {
    return Atoll::AccessPattern{
        .elements = static_cast<double>(points),
        .accesses = {{false, Atoll::Order::own, reads * static_cast<double>(points)},
                     {true, Atoll::Order::own, writes * static_cast<double>(points)}}};
  };
  // Coordinates are counted in cache lines, because a vector instruction accesses several at once.
  const std::uint64_t lines = (points * sizes.dimensions + kLineFloats - 1) / kLineFloats;
  const Atoll::AccessPattern coordinates{
      .elements = static_cast<double>(lines),
      .accesses = {{false, Atoll::Order::stream, times * static_cast<double>(lines)}}};
  return {{list + "coordinates", lines, kLineFloats * sizeof(float), coordinates, true},
          {list + "rows", points, 4, own(times, 1)},
          {list + "weights", points, 4, own(times, 1)},
          {list + "tried", points, 4, own(times, times)},
          {list + "costs", points, 4, own(times, 4)},
          {list + "centres", points, 4, own(times, 4)}};
}

/// Points with weights and centres. Point i has the coordinates in row rows[i], so that swapping
/// two points doesn't move coordinates.
struct Points {
  std::size_t dimensions = 0;
  std::size_t count = 0;       ///< number in use
  Memory<float> coordinates;   ///< a row for each point; read by all threads, written between
                               ///< searches
  Memory<std::uint32_t> rows;  ///< row of each point
  Memory<float> weights;
  Memory<float> tried;            ///< cost of each point with the candidate as its centre
  Memory<float> costs;            ///< distance from its centre times its weight
  Memory<std::uint32_t> centres;  ///< index of the point that is its centre

  [[nodiscard]] float* row(std::size_t i) {
    return coordinates.master() + rows.master()[i] * dimensions;
  }
};

/// The layouts that the policy chose for the arrays of requests(), in the same order.
struct Placement {
  const Atoll::memory::Context& context;
  std::span<const Atoll::Choice> choices;
};

/// Allocates the arrays; without a placement, like the original program. Not inlined, so that
/// profiles name it.
[[gnu::noinline]] inline Points make_points(const Sizes& sizes, std::size_t capacity,
                                            const Placement* placement) {
  const auto memory = [&]<class T>(std::size_t i, std::size_t size, T) {
    return placement == nullptr ? Memory<T>(size)
                                : Memory<T>(placement->context, size, placement->choices[i]);
  };
  Points points{.dimensions = sizes.dimensions,
                .coordinates = memory(0, capacity * sizes.dimensions, float{}),
                .rows = memory(1, capacity, std::uint32_t{}),
                .weights = memory(2, capacity, float{}),
                .tried = memory(3, capacity, float{}),
                .costs = memory(4, capacity, float{}),
                .centres = memory(5, capacity, std::uint32_t{})};
  for (std::size_t i = 0; i < capacity; ++i)
    points.rows.master()[i] = static_cast<std::uint32_t>(i);
  return points;
}

}  // namespace streamcluster
