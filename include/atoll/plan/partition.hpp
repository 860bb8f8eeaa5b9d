// Computes unequal partitions: by weights of the parts, by weights of the elements, and by given
// owners (of a graph partitioner, a mesh).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoll/plan/layout.hpp"

namespace Atoll {

/// Gives part i elements in proportion to weights[i], for places of different speed. Throws Error
/// (input) if the number of weights isn't that of nodes, a weight is negative or not finite, or
/// none is positive.
[[nodiscard]] Partitioned partition_by_weights(std::vector<NodeId> nodes, std::uint64_t elements,
                                               std::span<const double> weights);

/// Gives each part about the same sum of its elements' weights. `begins` has one entry more than
/// there are elements and doesn't descend. Element e weighs begins[e + 1] - begins[e], so a CSR
/// graph's index of edges divides its nodes by their edges. Throws Error (input) if there is no
/// node or no entry, or if entries descend.
[[nodiscard]] Partitioned partition_by_prefix(std::vector<NodeId> nodes,
                                              std::span<const std::uint64_t> begins);

/// Puts element e on the node owners[e]. If a page has elements of several owners, it is put on a
/// node with the most of it. Throws Error (input) if there are no elements or an element has no
/// bytes.
[[nodiscard]] Partitioned partition_by_owners(std::span<const NodeId> owners,
                                              std::uint32_t element_bytes, PageSize pages);

/// Repeats each node as often as its weight, consecutively, for Distributed: weighted interleave,
/// page for page as Linux (kernel 6.9) does it with these weights. Throws Error (input) if the
/// number of weights isn't that of nodes, or none is above 0.
[[nodiscard]] std::vector<NodeId> weighted(std::span<const NodeId> nodes,
                                           std::span<const std::uint32_t> weights);

}  // namespace Atoll
