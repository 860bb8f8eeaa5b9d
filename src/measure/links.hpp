// Puts measured figures into the links of a machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "atoll/machine/machine.hpp"
#include "measure/pair.hpp"

namespace Atoll::measure {

/// Figures of one pair, and the buffer in which they were measured.
struct MeasuredPair {
  PairFigures figures;
  std::string buffer;  ///< "1 GiB in 2 MiB pages"
};

/// Returns the machine with the figures of these pairs (initiator, memory), rounded to four digits.
/// All else stays, except links with less bandwidth than was measured through them. A link's
/// bandwidths are the maximum over all thread counts.
[[nodiscard]] Machine with_measured(const Machine& machine,
                                    const std::map<std::pair<NodeId, NodeId>, MeasuredPair>& pairs);

}  // namespace Atoll::measure
