// STREAM's rule is four times the caches. A cyclic pointer chase hits almost never in caches of a
// quarter of its size: never with least-recently-used replacement, and once in fifty lines with
// random replacement (h = exp(-4 (1 - h))). In caches of half its size it hits once in five.
#include "measure/buffer.hpp"

#include <algorithm>
#include <set>

#include "atoll/base/units.hpp"
#include "machine/place_tree.hpp"

namespace Atoll::measure {
namespace {

constexpr std::uint64_t kUnit = 4 * kMiB;          // two halves, each in whole huge pages
constexpr std::uint64_t kUsualLeast = 256 * kMiB;  // a pass takes milliseconds

}  // namespace

std::uint64_t caches_around(const Machine& machine, NodeId initiator) {
  std::set<int> units;
  for (const Processor& processor : machine.processors())
    if (processor.node == initiator) units.insert(processor.os_index);
  std::uint64_t bytes = 0;
  detail::walk(machine.root(), [&](const Place& cache, const detail::Path&) {
    if (cache.kind != PlaceKind::l2 && cache.kind != PlaceKind::l3) return;
    bool around = false;
    detail::walk(cache, [&](const Place& below, const detail::Path&) {
      around = around || (below.kind == PlaceKind::pu && units.contains(below.os_index));
    });
    if (around) bytes += cache.cache_bytes;
  });
  return bytes;
}

Buffer plan_buffer(const memory::Available& available, NodeId node, std::uint64_t cache_bytes,
                   std::uint64_t asked_bytes) {
  if (!available.bytes_by_node.contains(node))
    return {0, "this process may not allocate there (see Mems_allowed_list in /proc/self/status)"};
  const std::uint64_t room = available.on(node);
  const auto units = [](std::uint64_t bytes) { return (bytes + kUnit - 1) / kUnit * kUnit; };
  const std::uint64_t wished =
      asked_bytes > 0 ? asked_bytes : std::max(4 * cache_bytes, kUsualLeast);
  const std::uint64_t least = units(asked_bytes > 0 ? asked_bytes : 2 * cache_bytes);
  const std::uint64_t most = room / 2 / kUnit * kUnit;
  if (most < std::max(least, kUnit))
    return {0, format_bytes(room) + " available, of which at most half is taken; " +
                   (asked_bytes > 0
                        ? "the buffer is " + format_bytes(least)
                        : "twice the caches' " + format_bytes(cache_bytes) + " are needed")};
  return {std::min(units(wished), most), {}};
}

}  // namespace Atoll::measure
