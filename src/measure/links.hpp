// Puts measured figures into the links of a machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "atoll/machine/machine.hpp"
#include "measure/pair.hpp"

namespace Atoll::measure {

/// What was measured of one pair, and in which buffer.
struct MeasuredPair {
  PairFigures figures;
  std::string buffer;  ///< "1 GiB in 2 MiB pages"
};

/// Returns the machine with the figures of these pairs (initiator, memory), of four digits;
/// everything else stays, but for wires that were said to carry less than was measured through
/// them. A link's bandwidths are the most that any number of threads gets.
[[nodiscard]] Machine with_measured(const Machine& machine,
                                    const std::map<std::pair<NodeId, NodeId>, MeasuredPair>& pairs);

}  // namespace Atoll::measure
