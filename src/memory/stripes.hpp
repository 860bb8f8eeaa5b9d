// A placement as a short list of stripes: a closed form, so that 1 TiB interleaved by 4 KiB takes
// as little room as one run. Pure: no memory is touched here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/memory/block.hpp"

namespace Atoll::memory {

/// `count` granules of `bytes` each, granule i at `offset` + i * `stride`.
struct Stripe {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t stride = 0;
  std::uint64_t count = 1;
  NodeId node;  ///< the node that was asked for
  friend bool operator==(const Stripe&, const Stripe&) = default;
};

/// A range of bytes, from the start of a block.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// The nodes in the placement's order. A node that is named twice occurs twice.
[[nodiscard]] std::vector<NodeId> named_nodes(const Placement& placement);

/// Throws Error (input) if there are no nodes, the machine lacks a node, a granule isn't whole
/// pages, or runs aren't `bytes` together.
void check(const Placement& placement, const Machine& machine, std::uint64_t bytes, PageSize pages);

/// Returns the stripes of a checked placement of `bytes`, whole pages: each byte is in exactly one
/// of them. All of an Ordered placement is on its first node.
[[nodiscard]] std::vector<Stripe> stripes_of(const Placement& placement, std::uint64_t bytes,
                                             PageSize pages);

[[nodiscard]] std::uint64_t total_bytes(std::span<const Stripe> stripes);
[[nodiscard]] std::uint64_t total_bytes(std::span<const Range> ranges);

/// How many bytes are mapped or moved before their nodes are checked: one huge page, or as many
/// bytes of small ones.
[[nodiscard]] constexpr std::uint64_t window_bytes(PageSize pages) {
  return std::max(page_bytes(pages), page_bytes(PageSize::huge));
}

/// Splits into equal shares by bytes, in the list's order. A stripe is cut between granules, a
/// single granule at multiples of `unit` bytes of the block, so that no huge page is cut.
[[nodiscard]] std::vector<std::vector<Stripe>> split(std::span<const Stripe> stripes,
                                                     std::size_t shares, std::uint64_t unit);

/// Takes stripes from the front, piece by piece.
class StripeReader {
 public:
  explicit StripeReader(std::vector<Stripe> stripes) : stripes_(std::move(stripes)) {}

  /// Takes up to `bytes` (whole base pages) as extents of one or more stripes of the same node;
  /// empty at the end. A granule is only cut if it is larger than that.
  [[nodiscard]] std::vector<Extent> take(std::uint64_t bytes);
  /// The node of what was taken last.
  [[nodiscard]] NodeId node() const { return node_; }
  /// The stripes that haven't been taken.
  [[nodiscard]] std::vector<Stripe> rest() const;

 private:
  std::vector<Stripe> stripes_;
  std::size_t at_ = 0;         ///< the stripe
  std::uint64_t granule_ = 0;  ///< its granule
  std::uint64_t inside_ = 0;   ///< bytes of that granule that are taken
  NodeId node_;
};

}  // namespace Atoll::memory
