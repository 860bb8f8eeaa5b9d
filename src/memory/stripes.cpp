// Converts placements to stripes, and splits these among threads and into windows.
#include "memory/stripes.hpp"

#include <algorithm>
#include <string>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "base/overloaded.hpp"
#include "plan/page_bounds.hpp"

namespace Atoll::memory {
namespace {

std::vector<Stripe> interleave(const Interleaved& placement, std::uint64_t bytes) {
  std::vector<Stripe> stripes;
  const std::uint64_t granule = placement.granule_bytes;
  const std::uint64_t whole = bytes / granule;  // number of granules; the last one may be shorter
  const std::uint64_t nodes = placement.nodes.size();
  for (std::uint64_t i = 0; i < std::min(nodes, whole); ++i)
    stripes.push_back({i * granule, granule, nodes * granule, (whole - i + nodes - 1) / nodes,
                       placement.nodes[i]});
  if (const std::uint64_t tail = bytes - whole * granule; tail > 0)
    stripes.push_back({whole * granule, tail, 0, 1, placement.nodes[whole % nodes]});
  return stripes;
}

std::vector<Stripe> follow_runs(const Runs& placement, std::uint64_t bytes, PageSize pages) {
  std::vector<Stripe> stripes;
  const std::uint64_t page = page_bytes(pages), count = bytes / page + (bytes % page != 0 ? 1 : 0);
  std::uint64_t asked = 0, begin = 0;
  for (const Runs::Run& run : placement.runs) {
    asked += run.bytes;
    const bool last = &run == &placement.runs.back();
    const std::uint64_t end =
        last ? bytes
             : std::min(bytes, Atoll::detail::nearest_page(asked, count * page, count) * page);
    if (end > begin) stripes.push_back({begin, end - begin, 0, 1, run.node});
    begin = std::max(begin, end);
  }
  return stripes;
}

}  // namespace

std::vector<NodeId> named_nodes(const Placement& placement) {
  return std::visit(
      detail::Overloaded{[](const OnNode& on) { return std::vector{on.node}; },
                         [](const Interleaved& interleaved) { return interleaved.nodes; },
                         [](const Runs& runs) {
                           std::vector<NodeId> nodes;
                           nodes.reserve(runs.runs.size());
                           for (const Runs::Run& run : runs.runs) nodes.push_back(run.node);
                           return nodes;
                         },
                         [](const Ordered& ordered) { return ordered.order; }},
      placement);
}

void check(const Placement& placement, const Machine& machine, std::uint64_t bytes,
           PageSize pages) {
  const std::vector<NodeId> nodes = named_nodes(placement);
  if (nodes.empty())
    throw Error::input("placement", "it names no node", "name one of the machine's memories");
  for (const NodeId node : nodes)
    if (!machine.has_memory(node))
      throw Error::input(
          "placement",
          "node " + std::to_string(node.value) + " isn't a memory of " + machine.name(),
          "see atoll machine for those it has");
  if (const auto* interleaved = std::get_if<Interleaved>(&placement)) {
    const std::uint64_t granule = interleaved->granule_bytes;
    if (granule == 0 || granule % page_bytes(pages) != 0)
      throw Error::input("placement",
                         "a granule of " + std::to_string(granule) + " bytes isn't whole pages",
                         "take a multiple of " + format_bytes(page_bytes(pages)));
  }
  if (const auto* runs = std::get_if<Runs>(&placement)) {
    std::uint64_t left = bytes;
    bool fits = true;
    for (const Runs::Run& run : runs->runs) {
      fits = fits && run.bytes <= left;
      left -= fits ? run.bytes : 0;
    }
    if (!fits || left != 0)
      throw Error::input("placement",
                         "the runs together aren't " + std::to_string(bytes) + " bytes",
                         "let them cover all of it, and no more");
  }
}

std::vector<Stripe> stripes_of(const Placement& placement, std::uint64_t bytes, PageSize pages) {
  if (bytes == 0) return {};
  const auto all_on = [&](NodeId node) { return std::vector<Stripe>{{0, bytes, 0, 1, node}}; };
  return std::visit(
      detail::Overloaded{
          [&](const OnNode& on) { return all_on(on.node); },
          [&](const Interleaved& interleaved) { return interleave(interleaved, bytes); },
          [&](const Runs& runs) { return follow_runs(runs, bytes, pages); },
          [&](const Ordered& ordered) { return all_on(ordered.order.front()); }},
      placement);
}

std::uint64_t total_bytes(std::span<const Stripe> stripes) {
  std::uint64_t total = 0;
  for (const Stripe& stripe : stripes) total += stripe.bytes * stripe.count;
  return total;
}

std::uint64_t total_bytes(std::span<const Range> ranges) {
  std::uint64_t total = 0;
  for (const Range& range : ranges) total += range.bytes;
  return total;
}

std::vector<std::vector<Stripe>> split(std::span<const Stripe> stripes, std::size_t shares,
                                       std::uint64_t unit) {
  std::vector<std::vector<Stripe>> result(shares);
  const std::uint64_t total = total_bytes(stripes);
  std::uint64_t given = 0;
  std::size_t share = 0;
  for (Stripe rest : stripes) {
    while (rest.count > 0) {
      // the remainder of the share, rounded up to a permitted cut
      const std::uint64_t end =
          total / shares * (share + 1) + total % shares * (share + 1) / shares;
      const std::uint64_t wanted = end > given ? end - given : 0;
      Stripe part = rest;
      if (share + 1 == shares) {
        // the last part takes all
      } else if (rest.count > 1) {
        part.count = std::min(rest.count, (wanted + rest.bytes - 1) / rest.bytes);
      } else {
        const std::uint64_t end_of_part = rest.offset + wanted + unit - 1;
        const std::uint64_t cut = end_of_part / unit * unit - rest.offset;
        part.bytes = wanted == 0 ? 0 : std::min(rest.bytes, cut);
      }
      if (part.bytes > 0 && part.count > 0) {
        result[share].push_back(part);
        given += part.bytes * part.count;
      }
      if (part.count == rest.count && part.bytes == rest.bytes) break;
      if (rest.count > 1) {
        rest.offset += part.count * rest.stride;
        rest.count -= part.count;
      } else {
        rest.offset += part.bytes;
        rest.bytes -= part.bytes;
      }
      ++share;
    }
  }
  return result;
}

std::vector<Extent> StripeReader::take(std::uint64_t bytes) {
  std::vector<Extent> extents;
  std::uint64_t left = bytes;
  while (at_ < stripes_.size() && left > 0) {
    const Stripe& stripe = stripes_[at_];
    const std::uint64_t whole = stripe.bytes - inside_;
    if (!extents.empty() && (stripe.node != node_ || whole > left)) break;
    node_ = stripe.node;
    const std::uint64_t part = std::min(left, whole);
    extents.push_back({stripe.offset + granule_ * stripe.stride + inside_, part});
    left -= part;
    inside_ += part;
    if (inside_ < stripe.bytes) break;
    inside_ = 0;
    if (++granule_ == stripe.count) {
      granule_ = 0;
      ++at_;
    }
  }
  return extents;
}

std::vector<Stripe> StripeReader::rest() const {
  std::vector<Stripe> rest;
  if (at_ == stripes_.size()) return rest;
  const Stripe& stripe = stripes_[at_];
  const std::uint64_t here = stripe.offset + granule_ * stripe.stride;
  std::uint64_t granule = granule_;
  if (inside_ > 0) {
    rest.push_back({here + inside_, stripe.bytes - inside_, 0, 1, stripe.node});
    ++granule;
  }
  if (granule < stripe.count)
    rest.push_back({stripe.offset + granule * stripe.stride, stripe.bytes, stripe.stride,
                    stripe.count - granule, stripe.node});
  rest.insert(rest.end(), stripes_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, stripes_.end());
  return rest;
}

}  // namespace Atoll::memory
