// A placement as a short list of stripes. This closed form describes 1 TiB interleaved by 4 KiB in
// as little space as one run. Pure functions: no memory is accessed here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/memory/block.hpp"

namespace Atoll::memory {

/// `count` granules of `bytes` each; granule i is at `offset` + i * `stride`.
struct Stripe {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t stride = 0;
  std::uint64_t count = 1;
  NodeId node;  ///< requested node
  friend bool operator==(const Stripe&, const Stripe&) = default;
};

/// A range of bytes, relative to the start of a block.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Returns the nodes in the placement's order; a node that is named twice occurs twice.
[[nodiscard]] std::vector<NodeId> named_nodes(const Placement& placement);

/// Throws Error (input) if there are no nodes, the machine lacks a node, a granule isn't whole
/// pages, or the sum of runs differs from `bytes`.
void check(const Placement& placement, const Machine& machine, std::uint64_t bytes, PageSize pages);

/// Returns the stripes of a checked placement of `bytes` (whole pages). Each byte is in exactly one
/// stripe. An Ordered placement is entirely on its first node.
[[nodiscard]] std::vector<Stripe> stripes_of(const Placement& placement, std::uint64_t bytes,
                                             PageSize pages);

[[nodiscard]] std::uint64_t total_bytes(std::span<const Stripe> stripes);
[[nodiscard]] std::uint64_t total_bytes(std::span<const Range> ranges);

/// Number of bytes that are mapped or moved before their nodes are checked: one huge page, or as
/// many bytes of small pages.
[[nodiscard]] constexpr std::uint64_t window_bytes(PageSize pages) {
  return std::max(page_bytes(pages), page_bytes(PageSize::huge));
}

/// Splits into equal shares by bytes, in the order of the list. A stripe is cut between granules,
/// and a single granule at multiples of `unit` bytes of the block, so that no huge page is cut.
[[nodiscard]] std::vector<std::vector<Stripe>> split(std::span<const Stripe> stripes,
                                                     std::size_t shares, std::uint64_t unit);

/// Consumes a list of stripes piece by piece.
class StripeReader {
 public:
  explicit StripeReader(std::vector<Stripe> stripes) : stripes_(std::move(stripes)) {}

  /// Returns up to `bytes` (whole base pages) as extents of one or more stripes of the same node;
  /// empty at the end. A granule is only cut if it is larger than `bytes`.
  [[nodiscard]] std::vector<Extent> take(std::uint64_t bytes);
  /// Node of the result of the last take().
  [[nodiscard]] NodeId node() const { return node_; }
  /// Returns the stripes that take() hasn't returned yet.
  [[nodiscard]] std::vector<Stripe> rest() const;

 private:
  std::vector<Stripe> stripes_;
  std::size_t at_ = 0;         ///< index of the current stripe
  std::uint64_t granule_ = 0;  ///< index of its current granule
  std::uint64_t inside_ = 0;   ///< bytes already taken from that granule
  NodeId node_;
};

}  // namespace Atoll::memory
