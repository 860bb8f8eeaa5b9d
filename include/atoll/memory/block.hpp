// The seam to page placement: memory whose pages lie on the nodes that were asked for, all mapped
// when the call returns [shoal §3.1], and the system's answer on where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/machine/page_size.hpp"
#include "atoll/memory/backend.hpp"
#include "atoll/memory/copy_engine.hpp"
#include "atoll/threads/team.hpp"

namespace Atoll::memory {

/// What placing pages needs. It outlives every Block made with it.
struct Context {
  const Machine& machine;
  const Team& team;  ///< its threads populate pages, each of them those of its own node
  Backend& backend = system_backend();
  /// Copies and fills arrays; none: parallel_engine(team).
  std::shared_ptr<CopyEngine> copies = nullptr;
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
/// Runs of bytes one after the other, together all of the block. Their ends are rounded to the
/// nearest page.
struct Runs {
  /// So many bytes on one node.
  struct Run {
    std::uint64_t bytes = 0;
    NodeId node;
  };
  std::vector<Run> runs;
};
/// Fills the first node until it is full, then the second … [numa-distance §3.2].
struct Ordered {
  std::vector<NodeId> order;
};
using Placement = std::variant<OnNode, Interleaved, Runs, Ordered>;

/// What to do when a node is full: `spill` goes on with the nearest node that isn't (the machine's
/// latency ordering, as seen from the full node); `refuse` gives everything back and throws. An
/// Ordered placement goes on with its own order, and with `refuse` throws when the order is used
/// up.
enum class WhenFull { spill, refuse };

struct Stripe;

/// Who maps a block's pages; the nodes that they are put on don't depend on it. The caller alone
/// takes longer for a large block, but may be any thread at any time, in a run() of any team as
/// well.
enum class Populate { by_team, by_caller };

/// Owns one range of placed memory, which is zeroed at first.
class Block {
 public:
  Block() = default;
  /// Takes no memory for 0 bytes. Throws Error (failed), with nothing left behind, if the machine
  /// (or the cgroup) hasn't `bytes` available: before a page is mapped, or on the way if others
  /// take the memory meanwhile. Throws Error (input) for a node that the machine lacks, a granule
  /// that isn't whole pages, or runs that aren't `bytes` together. Unless the caller populates it,
  /// this runs the team, so it can't be called from within a run().
  Block(const Context& context, std::size_t bytes, const Placement& placement, PageSize pages,
        WhenFull when_full = WhenFull::spill, Populate populate = Populate::by_team);
  ~Block();
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] PageSize pages() const noexcept { return pages_; }
  [[nodiscard]] const Placement& placement() const noexcept { return placement_; }

  /// Moves the pages with their content to where the placement wants them; addresses stay. Pages
  /// for which a node has no room stay where they are. Returns how many 4 KiB pages are elsewhere
  /// than wished. Other threads may read and write meanwhile. Throws the constructor's errors; runs
  /// the team.
  std::uint64_t move_to(const Context& context, const Placement& placement);

  /// The node of each 4 KiB page, which the system is asked for now.
  [[nodiscard]] std::vector<NodeId> where() const;
  /// The node that the placement asked for, for each 4 KiB page. For an Ordered one it is the first
  /// node.
  [[nodiscard]] std::vector<NodeId> wished() const;
  /// The same as a short list of stripes (src/memory/stripes.hpp), in no order.
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

/// Counts pages by node, from where().
[[nodiscard]] std::map<NodeId, std::uint64_t> pages_by_node(const std::vector<NodeId>& where);

}  // namespace Atoll::memory
