// Interface to page placement: memory whose pages are on the requested nodes and all mapped when
// the call returns [shoal §3.1], and queries of the actual nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "atoll/base/page_size.hpp"
#include "atoll/machine/machine.hpp"
#include "atoll/machine/page_size.hpp"
#include "atoll/memory/backend.hpp"
#include "atoll/memory/copy_engine.hpp"
#include "atoll/threads/team.hpp"

namespace Atoll::memory {

/// Parameters of page placement. Must outlive every Block created with it.
struct Context {
  const Machine& machine;
  const Team& team;  ///< its threads populate pages, each those of its own node
  Backend& backend = system_backend();
  /// copies and fills arrays; null means parallel_engine(team)
  std::shared_ptr<CopyEngine> copies = nullptr;
};

/// All pages on one node.
struct OnNode {
  NodeId node;
  friend bool operator==(const OnNode&, const OnNode&) = default;
};
/// Granule i is on nodes[i mod nodes.size()]. `granule_bytes` is a multiple of the page size.
struct Interleaved {
  std::vector<NodeId> nodes;
  std::uint64_t granule_bytes = kPageBytes;
};
/// Consecutive runs of bytes that together cover the block. Their ends are rounded to the nearest
/// page.
struct Runs {
  /// A number of bytes on one node.
  struct Run {
    std::uint64_t bytes = 0;
    NodeId node;
  };
  std::vector<Run> runs;
};
/// Fills the first node until it is full, then the second, and so on [numa-distance §3.2].
struct Ordered {
  std::vector<NodeId> order;
};
using Placement = std::variant<OnNode, Interleaved, Runs, Ordered>;

/// Behaviour if a node is full. `spill` continues with the nearest node that isn't full (the
/// machine's latency ordering, from the full node). `refuse` frees everything and throws. An
/// Ordered placement always continues with its own order, and with `refuse` throws at the end of
/// the order.
enum class WhenFull { spill, refuse };

struct Stripe;

/// Threads that map a block's pages; doesn't influence the nodes. `by_caller` is slower for large
/// blocks, but can be used on any thread at any time, even inside a run() of a team.
enum class Populate { by_team, by_caller };

/// Owns a range of placed memory, which is initially zeroed.
class Block {
 public:
  Block() = default;
  /// Allocates nothing for 0 bytes. Throws Error (failed), and frees everything, if fewer than
  /// `bytes` are available on the machine or in the cgroup: before a page is mapped, or later if
  /// other processes take the memory meanwhile. Throws Error (input) if the machine lacks a node, a
  /// granule isn't whole pages, or the sum of runs differs from `bytes`. With Populate::by_team
  /// this calls the team's run(), so it can't be called inside a run().
  Block(const Context& context, std::size_t bytes, const Placement& placement, PageSize pages,
        WhenFull when_full = WhenFull::spill, Populate populate = Populate::by_team);
  ~Block();
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] PageSize pages() const noexcept { return pages_; }
  [[nodiscard]] const Placement& placement() const noexcept { return placement_; }

  /// Moves pages, with their content, to the nodes of the new placement; addresses don't change.
  /// Pages whose node has no room stay where they are. Returns the number of 4 KiB pages on other
  /// nodes than requested. Other threads may read and write concurrently. Throws the constructor's
  /// errors; calls the team's run().
  std::uint64_t move_to(const Context& context, const Placement& placement);

  /// Queries the node of each 4 KiB page from the system.
  [[nodiscard]] std::vector<NodeId> where() const;
  /// Returns the node that the placement requests for each 4 KiB page; for an Ordered placement,
  /// the first node.
  [[nodiscard]] std::vector<NodeId> wished() const;
  /// Returns the same as a short, unordered list of stripes (src/memory/stripes.hpp).
  [[nodiscard]] std::vector<Stripe> stripes() const;

 private:
  void free() noexcept;

  Backend* backend_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;     ///< as requested
  std::size_t reserved_ = 0;  ///< rounded up to whole pages
  Placement placement_;
  PageSize pages_ = PageSize::small;
};

/// Counts the pages of each node in the result of where().
[[nodiscard]] std::map<NodeId, std::uint64_t> pages_by_node(const std::vector<NodeId>& where);

}  // namespace Atoll::memory
