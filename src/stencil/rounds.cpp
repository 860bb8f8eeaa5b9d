// Repetition in a long queue.
#include "stencil/rounds.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace Atoll::stencil {
namespace {

/// Returns the shortest period of the words, or their number if there is none: by the prefix
/// function of Knuth, Morris and Pratt.
std::size_t period_of(std::span<const std::uint64_t> words) {
  std::vector<std::size_t> prefix(words.size());
  for (std::size_t i = 1, at = 0; i < words.size(); ++i) {
    while (at > 0 && words[i] != words[at]) at = prefix[at - 1];
    at += words[i] == words[at];
    prefix[i] = at;
  }
  return words.empty() ? 0 : words.size() - prefix.back();
}

}  // namespace

Rounds rounds_of(std::span<const Queued> queue) {
  if (queue.size() < kLongQueue) return {};
  std::vector<std::uint64_t> hashes;
  hashes.reserve(queue.size());
  for (const Queued& queued : queue) hashes.push_back(hash_of({&queued, 1}));
  // The first loops set up the fields.
  const std::size_t half = queue.size() / 2;
  const std::size_t period = period_of(std::span(hashes).subspan(half));
  std::size_t first = half;
  while (first > 0 && hashes[first - 1] == hashes[first - 1 + period]) --first;
  const std::size_t loops = std::max((kRound + period - 1) / period, kRepetitions) * period;
  if (2 * loops > queue.size() - first) return {};
  return {first, loops};
}

}  // namespace Atoll::stencil
