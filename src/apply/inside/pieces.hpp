// The pieces of an object that a target of the table binds, rounded as in plan/page_bounds.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apply/inside/table.hpp"
#include "plan/page_bounds.hpp"

namespace Atoll::apply::inside {

/// Calls visit(begin, end, node) for each piece of an object of `pages` pages; begin and end are
/// page indices in the object. `list` points to the target's list. With Rule::interleave, the
/// system distributes pages; visit() gets them in round-robin order.
template <typename Visit>
void for_each_piece(const Target& target, const std::byte* list, std::uint64_t pages, Visit visit) {
  if (target.rule == Rule::runs)
    return detail::for_each_run(reinterpret_cast<const Run*>(list), target.count, target.pages,
                                pages, [&](std::uint64_t begin, std::uint64_t end, const Run& run) {
                                  visit(begin, end, run.node);
                                });
  if (target.count == 0) return;
  const auto* nodes = reinterpret_cast<const std::uint32_t*>(list);
  const std::uint64_t pieces = target.rule == Rule::interleave ? 0 : detail::kMaxPieces;
  detail::for_each_granule(
      target.count, detail::granule_in_pages(target.pages, pages, pieces), pages,
      [&](std::uint64_t begin, std::uint64_t end, std::size_t i) { visit(begin, end, nodes[i]); });
}

}  // namespace Atoll::apply::inside
