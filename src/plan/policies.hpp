// The policies behind choose_layouts(). Precondition: the requests are used arrays that together
// fit into the machine's memories. A policy returns one choice for each request, in order, with
// name, layout, time and reason.
#pragma once

#include <span>
#include <vector>

#include "atoll/plan/choose_layouts.hpp"

namespace Atoll::detail {

using Requests = std::span<const ArrayRequest>;

/// Follows Figure 2 of [shoal §3.3] exactly.
[[nodiscard]] std::vector<Choice> choose_shoal(Requests requests, const Machine& machine,
                                               const ThreadPlaces& team,
                                               const ChoiceOptions& options);

/// Minimises the sum of the cost model's times, within the free bytes of each memory. Throws Error
/// (failed) if no layouts fit.
[[nodiscard]] std::vector<Choice> choose_cost(Requests requests, const Machine& machine,
                                              const ThreadPlaces& team,
                                              const ChoiceOptions& options);

}  // namespace Atoll::detail
