// Threads take windows of pages, query their nodes, and migrate those on other nodes. If two nodes
// exchange pages and one is full, it has room only after some of its pages have moved away. So
// rounds are repeated as long as each makes progress.
#include "memory/move.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "atoll/base/page_size.hpp"

namespace Atoll::memory {
namespace {

/// Migrates the pages of the ranges that are on other nodes. Returns the number of base pages that
/// still are.
std::uint64_t move_window(Backend& backend, const std::vector<Range>& ranges, NodeId node,
                          std::size_t unit) {
  std::vector<Range> away;
  const auto look = [&](const std::vector<Range>& at) {
    std::vector<NodeId> nodes(total_bytes(at) / kPageBytes);
    backend.locate(at, nodes);
    return nodes;
  };
  const std::vector<NodeId> before = look(ranges);
  auto page = before.begin();
  for (const Range& range : ranges)
    for (std::size_t at = 0; at < range.bytes;) {
      const std::size_t bytes = std::min(unit, range.bytes - at);
      if (*page != node) {
        if (!away.empty() && away.back().data + away.back().bytes == range.data + at)
          away.back().bytes += bytes;
        else
          away.push_back({range.data + at, bytes});
      }
      page += static_cast<std::ptrdiff_t>(bytes / kPageBytes);
      at += bytes;
    }
  if (away.empty()) return 0;
  backend.migrate(away, node);
  const std::vector<NodeId> after = look(away);
  return static_cast<std::uint64_t>(
      std::count_if(after.begin(), after.end(), [&](NodeId now) { return now != node; }));
}

}  // namespace

std::uint64_t move(const Context& context, Range range, const std::vector<Stripe>& stripes,
                   PageSize pages) {
  const std::uint64_t window = window_bytes(pages);
  const auto shares = split(stripes, static_cast<std::size_t>(context.team.size()), window);
  for (std::uint64_t last = std::numeric_limits<std::uint64_t>::max();;) {
    std::atomic<std::uint64_t> elsewhere = 0;
    context.team.run([&](int thread) {
      StripeReader reader(shares[static_cast<std::size_t>(thread)]);
      for (;;) {
        const std::vector<Extent> extents = reader.take(window);
        if (extents.empty()) return;
        std::vector<Range> ranges;
        ranges.reserve(extents.size());
        for (const Extent& extent : extents)
          ranges.push_back({range.data + extent.offset, extent.bytes});
        elsewhere += move_window(context.backend, ranges, reader.node(), unit_bytes(pages));
      }
    });
    if (elsewhere == 0 || elsewhere >= last) return elsewhere;
    last = elsewhere;
  }
}

}  // namespace Atoll::memory
