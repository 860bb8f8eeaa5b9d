// Predicted times. A loop takes the time to move its bytes from and to fast memory (§5.1).
#include "stencil/stream/predictor.hpp"

#include <algorithm>

#include "stencil/intervals.hpp"
#include "stencil/traffic.hpp"

namespace Atoll::stencil {
namespace {

double bytes_of_loops(const Chain& chain) {
  double bytes = 0;
  for (const ChainLoop& loop : chain.loops)
    if (!loop.range.empty()) bytes += static_cast<double>(bytes_of(chain, loop));
  return bytes;
}

}  // namespace

void Predictor::add(const Chain& chain, const OuterPlan* plan) {
  const double baseline = bytes_of_loops(chain) / machine_.fast_bytes_per_second;
  times_.baseline_seconds += baseline;
  if (plan == nullptr) {
    times_.seconds += baseline;
    return;
  }
  std::vector<const OuterTile*> tiles;
  for (const OuterSegment& segment : plan->segments)
    for (const OuterTile& tile : segment.tiles) tiles.push_back(&tile);
  const auto bytes = [&](const OuterTile& tile, Intervals OuterRows::*which) {
    double sum = 0;
    for (std::size_t f = 0; f < tile.fields.size(); ++f)
      sum += static_cast<double>(size_of(tile.fields[f].*which)) *
             static_cast<double>(plan->row_bytes[f]);
    return sum;
  };
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    const OuterTile& tile = *tiles[t];
    const double computed =
        (bytes_of_loops(tile.inner->chain) + 2 * bytes(tile, &OuterRows::copied)) /
        machine_.fast_bytes_per_second;
    // Another chain, which is probably like this one, follows.
    const double in = bytes(*tiles[(t + 1) % tiles.size()], &OuterRows::in);
    times_.seconds += std::max({computed, in / machine_.link_bytes_per_second,
                                bytes_out_ / machine_.link_bytes_per_second});
    bytes_out_ = bytes(tile, &OuterRows::out);
  }
}

}  // namespace Atoll::stencil
