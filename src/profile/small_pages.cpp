#include "profile/small_pages.hpp"

#include "atoll/base/page_size.hpp"
#include "atoll/machine/hardware.hpp"

namespace Atoll::profile {
namespace {

/// Time of a page walk whose page-table entries are in the caches.
constexpr double kWalkSeconds = 30e-9;
/// Fraction of random memory accesses that wait for a page walk; others hit in the TLB, or overlap.
constexpr double kWalkingPart = 0.5;

}  // namespace

SmallPages::SmallPages(const recording::Recording& run, const Machine& machine) {
  if (run.is_sampled()) return;  // samples have no counts of lines
  const auto nanoseconds = [&](HardwareFigure figure) { return machine.hardware()[figure].value; };
  fault_ = 1e-9 * (nanoseconds(HardwareFigure::page_fault_4k) -
                   nanoseconds(HardwareFigure::page_fault_2m) / kChunkPages);
  stream_ = kWalkSeconds / recording::kLinesOfPage;
  random_ = kWalkSeconds * kWalkingPart;
}

bool SmallPages::has_huge(const recording::Object& object) {
  const std::uint64_t first = object.address / kPageBytes;
  return can_be_huge(object, first) || can_be_huge(object, first + kChunkPages);
}

void SmallPages::add_fault(PhasedTraffic& to, const MemoryTraffic& memory, std::size_t row,
                           std::size_t node) const {
  to.add_seconds(memory.first_phase[row], node, fault_);
}

void SmallPages::add_walks(PhasedTraffic& to, const MemoryTraffic& memory, std::size_t row) const {
  for (const MemoryTraffic::Entry& entry : memory.of(row))
    to.add_seconds(entry.phase, entry.node,
                   (entry.lines - entry.random) * stream_ + entry.random * random_);
}

}  // namespace Atoll::profile
