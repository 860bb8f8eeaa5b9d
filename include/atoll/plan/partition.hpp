// Partitions that aren't equal: by weights of the parts, by weights of the elements, and by owners
// that somebody else chose (a graph partitioner, a mesh).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoll/plan/layout.hpp"

namespace Atoll {

/// Part i gets elements in proportion to weights[i]: for places that are not equally fast. Throws
/// Error (input) for other numbers of weights than of nodes, a weight that is negative or not
/// finite, or no positive one.
[[nodiscard]] Partitioned partition_by_weights(std::vector<NodeId> nodes, std::uint64_t elements,
                                               std::span<const double> weights);

/// Each part gets about the same sum of its elements' weights. `begins` has one entry more than
/// there are elements and doesn't descend: element e weighs begins[e + 1] - begins[e], so a CSR
/// graph's index of edges divides its nodes by their edges. Throws Error (input) for no node, no
/// entry, or entries that descend.
[[nodiscard]] Partitioned partition_by_prefix(std::vector<NodeId> nodes,
                                              std::span<const std::uint64_t> begins);

/// Element e belongs on the node owners[e]. A page holds elements of several owners where they
/// alternate more finely than that: it goes to one that has most of it.
/// Throws Error (input) for no elements or an element of no bytes.
[[nodiscard]] Partitioned partition_by_owners(std::span<const NodeId> owners,
                                              std::uint32_t element_bytes, PageSize pages);

/// Each node as often in a row as its weight says, for Distributed: weighted interleave, page for
/// page as Linux's (kernel 6.9) does it with these weights. Throws Error (input) for other numbers
/// of weights than of nodes, or none above 0.
[[nodiscard]] std::vector<NodeId> weighted(std::span<const NodeId> nodes,
                                           std::span<const std::uint32_t> weights);

}  // namespace Atoll
