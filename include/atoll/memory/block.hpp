// The seam to page placement: memory whose pages lie where they were asked to, all mapped when the
// call returns [shoal §3.1], and the word of the system on where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/machine/page_size.hpp"
#include "atoll/memory/backend.hpp"
#include "atoll/threads/team.hpp"

namespace Atoll::memory {

/// What placing needs to know. Outlives every Block made with it.
struct Context {
  const Machine& machine;
  const Team& team;  ///< its threads populate pages, each those of its own node
  Backend& backend = system_backend();
};

/// All pages on one node.
struct OnNode {
  NodeId node;
  friend bool operator==(const OnNode&, const OnNode&) = default;
};
/// Granule i on nodes[i mod nodes.size()]; `granule_bytes` is a multiple of the page.
struct Interleaved {
  std::vector<NodeId> nodes;
  std::uint64_t granule_bytes = kBasePageBytes;
};
/// Runs of bytes one after the other, together all of the block; their ends are rounded to the
/// nearest page.
struct Runs {
  /// So many bytes on one node.
  struct Run {
    std::uint64_t bytes = 0;
    NodeId node;
  };
  std::vector<Run> runs;
};
/// The first node until it is full, then the second … [numa-distance §3.2].
struct Ordered {
  std::vector<NodeId> order;
};
using Placement = std::variant<OnNode, Interleaved, Runs, Ordered>;

/// When a node is full: go on with the nearest node that isn't (the machine's latency ordering, as
/// seen from the full node), or give everything back and throw. An Ordered placement goes on with
/// its own order, and with `refuse` throws when the order is used up.
enum class WhenFull { spill, refuse };

struct Stripe;

/// Who maps a block's pages; where they are put doesn't depend on it. The caller alone takes longer
/// for a large block, but may be any thread at any time, in a run() of any team as well.
enum class Populate { by_team, by_caller };

/// Owner of one range of placed memory. Zeroed when made.
class Block {
 public:
  Block() = default;
  /// Throws Error (failed), with nothing left behind, if the machine (or the cgroup) hasn't `bytes`
  /// available: before a page is mapped; if others take the memory meanwhile: on the way.
  /// Throws Error (input) for a node that the machine lacks, a granule that isn't whole pages, or
  /// runs that aren't `bytes` together. 0 bytes take no memory. Unless populated by the caller,
  /// runs the team: not from within a run().
  Block(const Context& context, std::size_t bytes, const Placement& placement, PageSize pages,
        WhenFull when_full = WhenFull::spill, Populate populate = Populate::by_team);
  ~Block();
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] PageSize pages() const noexcept { return pages_; }
  [[nodiscard]] const Placement& placement() const noexcept { return placement_; }

  /// Moves the pages, content and all, to where the placement wants them; addresses stay. Pages for
  /// which a node has no room stay where they are. Returns how many 4 KiB pages are elsewhere than
  /// wished. Other threads may read and write meanwhile. Errors: as the constructor; runs the team.
  std::uint64_t move_to(const Context& context, const Placement& placement);

  /// The node of each 4 KiB page, asked of the system now.
  [[nodiscard]] std::vector<NodeId> where() const;
  /// The node that the placement asked for, for each 4 KiB page; of an Ordered one, its first.
  [[nodiscard]] std::vector<NodeId> wished() const;
  /// The same in a closed form (src/memory/stripes.hpp), in no order.
  [[nodiscard]] std::vector<Stripe> stripes() const;

 private:
  void free() noexcept;

  Backend* backend_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;     ///< as asked for
  std::size_t reserved_ = 0;  ///< whole pages
  Placement placement_;
  PageSize pages_ = PageSize::small;
};

/// Pages by node, from where().
[[nodiscard]] std::map<NodeId, std::uint64_t> pages_by_node(const std::vector<NodeId>& where);

}  // namespace Atoll::memory
