// Runs tasks' locations through a cache in software: a list of lines, the last used one in front.
// Of many accesses a sample of the lines is enough: a cache of a k-th of the size, with the k-th of
// the lines that a hash picks, misses about a k-th as often.
#include "atoll/plan/reuse.hpp"

#include <algorithm>
#include <vector>

namespace Atoll {
namespace {

constexpr std::uint64_t kSampledAccesses = std::uint64_t{1} << 22;
constexpr std::uint64_t kLeastSlots = 1024;  ///< of a smaller cache; fewer lines say too little
constexpr std::uint32_t kNone = UINT32_MAX;

std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 33)) * 0xff51afd7ed558ccdULL;
  number = (number ^ (number >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return number ^ (number >> 33);
}

/// A fully associative cache of lines that are numbered below `lines`.
class Cache {
 public:
  Cache(std::uint64_t slots, std::uint64_t lines)
      : slots_(static_cast<std::uint32_t>(std::min(slots, lines))),
        slot_of_(lines, kNone),
        line_of_(slots_),
        newer_(slots_),
        older_(slots_) {}

  /// Returns true for a miss.
  bool use(std::uint64_t line) {
    std::uint32_t slot = slot_of_[line];
    const bool miss = slot == kNone;
    if (!miss) {
      if (slot == newest_) return false;
      take_out(slot);
    } else if (used_ < slots_) {
      slot = used_++;
    } else {
      slot = oldest_;
      slot_of_[line_of_[slot]] = kNone;
      take_out(slot);
    }
    if (miss) {
      slot_of_[line] = slot;
      line_of_[slot] = line;
    }
    newer_[slot] = kNone;
    older_[slot] = newest_;
    if (newest_ != kNone) newer_[newest_] = slot;
    newest_ = slot;
    if (oldest_ == kNone) oldest_ = slot;
    return miss;
  }

 private:
  void take_out(std::uint32_t slot) {
    const std::uint32_t newer = newer_[slot], older = older_[slot];
    (newer == kNone ? newest_ : older_[newer]) = older;
    (older == kNone ? oldest_ : newer_[older]) = newer;
  }

  std::uint32_t slots_;
  std::vector<std::uint32_t> slot_of_;  ///< of each line
  std::vector<std::uint64_t> line_of_;  ///< of each slot, as the next two
  std::vector<std::uint32_t> newer_, older_;
  std::uint32_t used_ = 0;
  std::uint32_t newest_ = kNone, oldest_ = kNone;
};

struct Request {
  const TaskLocations& tasks;
  std::span<const std::uint32_t> order;
  std::span<const std::uint32_t> place_of;
  std::uint64_t location_bytes;
};

double misses(const Request& request, std::uint64_t line_bytes, std::uint64_t cache_bytes) {
  if (cache_bytes < line_bytes || request.tasks.location_count == 0) return 0;
  // A location of several lines counts as one large line.
  const std::uint64_t unit = std::max(line_bytes, request.location_bytes);
  const std::uint64_t lines_a_unit = (unit + line_bytes - 1) / line_bytes;
  const std::uint64_t slots = std::max<std::uint64_t>(1, cache_bytes / unit);
  std::uint64_t places = request.tasks.location_count;
  for (const std::uint32_t place : request.place_of)
    places = std::max(places, std::uint64_t{place} + 1);
  std::uint64_t accesses = 0;
  for (const std::uint32_t task : request.order)
    accesses += request.tasks.begin[task + 1] - request.tasks.begin[task];
  int shift = 0;
  while ((accesses >> shift) > kSampledAccesses && (slots >> (shift + 1)) >= kLeastSlots) ++shift;
  const std::uint64_t mask = (std::uint64_t{1} << shift) - 1;
  Cache cache(slots >> shift, (places - 1) * request.location_bytes / unit + 1);
  std::uint64_t missed = 0;
  std::uint64_t last = UINT64_MAX;
  for (const std::uint32_t task : request.order)
    for (std::uint64_t i = request.tasks.begin[task]; i < request.tasks.begin[task + 1]; ++i) {
      const std::uint32_t location = request.tasks.locations[i];
      const std::uint64_t place = request.place_of.empty() ? location : request.place_of[location];
      const std::uint64_t line = place * request.location_bytes / unit;
      if (line == last) continue;
      last = line;
      if (shift == 0 || (mixed(line) & mask) == 0) missed += cache.use(line);
    }
  return static_cast<double>((missed << shift) * lines_a_unit);
}

}  // namespace

ReuseEstimate estimate_reuse(const TaskLocations& tasks, std::span<const std::uint32_t> order,
                             std::uint32_t location_bytes, const ReuseCaches& caches,
                             std::span<const std::uint32_t> place_of) {
  const Request request{tasks, order, place_of, std::max<std::uint64_t>(1, location_bytes)};
  ReuseEstimate estimate;
  if (caches.line_bytes > 0)
    estimate.line_misses = misses(request, caches.line_bytes, caches.cache_bytes);
  if (caches.page_bytes > 0)
    estimate.tlb_misses =
        misses(request, caches.page_bytes, caches.tlb_entries * caches.page_bytes);
  return estimate;
}

}  // namespace Atoll
