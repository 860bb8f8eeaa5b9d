// Memory that a fill may still take. Checked before its first page, and again during the fill,
// because other processes take memory meanwhile. The system kills a process rather than refusing a
// page, so Atoll must never request more than is available.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "atoll/base/units.hpp"
#include "atoll/memory/backend.hpp"

namespace Atoll::memory {

/// The headroom of one fill. Thread-safe.
class Headroom {
 public:
  /// Throws Error (failed) if the machine or the cgroup has fewer than `bytes` available in such
  /// pages.
  Headroom(const Backend& backend, std::uint64_t bytes, PageSize pages);

  /// Called before each window of pages is mapped on `node`. Returns the part of `bytes` for which
  /// the node has room, in whole base pages. Throws Error (failed) if the rest of the fill is no
  /// longer available.
  [[nodiscard]] std::uint64_t take(NodeId node, std::uint64_t bytes);
  /// The same for pages that may be on any node.
  void take_anywhere(std::uint64_t bytes);
  /// Returns pages that were taken and then discarded.
  void give_back(std::uint64_t bytes);

  /// Returns the node's current room in bytes; 0 for a node that this process can't use.
  [[nodiscard]] std::uint64_t room(NodeId node);
  /// True if pages can be on more than one node.
  [[nodiscard]] bool several_nodes() const { return several_nodes_; }

 private:
  struct Node {
    std::uint64_t room = 0;        ///< as last read, minus the bytes taken since
    std::uint64_t until_read = 0;  ///< bytes that may be taken on the node before the room is read
                                   ///< again
  };
  void read();

  const Backend& backend_;
  PageSize pages_;
  std::mutex mutex_;
  std::map<NodeId, Node> nodes_;
  std::uint64_t to_place_;        ///< bytes that aren't taken yet, on all nodes
  std::uint64_t until_read_ = 0;  ///< bytes that may be taken on all nodes before the room is read
                                  ///< again
  bool under_way_ = false;
  bool several_nodes_ = false;
};

/// Returns the memory that `bytes` of pages need, including page tables.
[[nodiscard]] constexpr std::uint64_t with_page_tables(std::uint64_t bytes) {
  return bytes + bytes / 512 + 64 * kKiB;
}
/// The inverse: returns the most bytes of pages that `bytes` of memory can hold with page tables.
[[nodiscard]] constexpr std::uint64_t without_page_tables(std::uint64_t bytes) {
  const std::uint64_t left = bytes - (bytes < 64 * kKiB ? bytes : 64 * kKiB);
  return left - (left + 1) / 513;
}

}  // namespace Atoll::memory
