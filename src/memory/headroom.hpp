// How much a fill may still take: checked before its first page, and again while it goes on, since
// others take memory meanwhile. The system would rather kill a process than refuse a page, so Atoll
// must never ask for more than there is.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "atoll/base/units.hpp"
#include "atoll/memory/backend.hpp"

namespace Atoll::memory {

/// The headroom of one fill. All functions may be called from any of its threads.
class Headroom {
 public:
  /// Throws Error (failed) if the machine or the cgroup hasn't `bytes` available in such pages.
  Headroom(const Backend& backend, std::uint64_t bytes, PageSize pages);

  /// Called before each window of pages is mapped on `node`. Returns for how much of it, in whole
  /// base pages, the node has room. Throws Error (failed) if what is still to be placed isn't
  /// available any more.
  [[nodiscard]] std::uint64_t take(NodeId node, std::uint64_t bytes);
  /// The same for pages that may be on any node.
  void take_anywhere(std::uint64_t bytes);
  /// Gives back pages that were taken and discarded.
  void give_back(std::uint64_t bytes);

  /// How much the node has room for now; 0 for a node that this process can't use.
  [[nodiscard]] std::uint64_t room(NodeId node);
  /// True if a page can be on more than one node.
  [[nodiscard]] bool several_nodes() const { return several_nodes_; }

 private:
  struct Node {
    std::uint64_t room = 0;        ///< as last read, without what was taken since
    std::uint64_t until_read = 0;  ///< what may be taken on it before the room is read again
  };
  void read();

  const Backend& backend_;
  PageSize pages_;
  std::mutex mutex_;
  std::map<NodeId, Node> nodes_;
  std::uint64_t to_place_;        ///< what isn't taken yet, in all
  std::uint64_t until_read_ = 0;  ///< what may be taken in all before it is read again
  bool under_way_ = false;
  bool several_nodes_ = false;
};

/// The memory that `bytes` of pages take, with the tables that map them.
[[nodiscard]] constexpr std::uint64_t with_page_tables(std::uint64_t bytes) {
  return bytes + bytes / 512 + 64 * kKiB;
}

}  // namespace Atoll::memory
