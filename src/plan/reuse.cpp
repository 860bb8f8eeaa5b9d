// Simulates a cache with LRU replacement for the tasks' locations. For many accesses, a sample of
// the lines is enough: a cache of 1/k of the size, with the 1/k of the lines that a hash selects,
// has about 1/k of the misses.
#include "atoll/plan/reuse.hpp"

#include <algorithm>
#include <vector>

#include "atoll/base/hash.hpp"

namespace Atoll {
namespace {

constexpr std::uint64_t kSampledAccesses = std::uint64_t{1} << 22;
constexpr std::uint64_t kLeastSlots = 1024;  ///< minimum lines of the smaller cache
constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::uint32_t kStreamWindow =
    64;  ///< maximum line uses between two consecutive lines of a stream that is prefetched

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
  std::vector<std::uint64_t> line_of_;  ///< by slot, like newer_ and older_
  std::vector<std::uint32_t> newer_, older_;
  std::uint32_t used_ = 0;
  std::uint32_t newest_ = kNone, oldest_ = kNone;
};

/// Detects streams: lines whose predecessor was used a short while ago.
class Streams {
 public:
  explicit Streams(std::uint64_t lines) : used_at_(lines, kNone) {}
  bool use(std::uint64_t line) {
    const bool follows =
        line > 0 && used_at_[line - 1] != kNone && now_ - used_at_[line - 1] <= kStreamWindow;
    used_at_[line] = now_;
    now_ = now_ + 1 == kNone ? 0 : now_ + 1;
    return follows;
  }

 private:
  std::vector<std::uint32_t> used_at_;
  std::uint32_t now_ = 0;
};

struct Request {
  const TaskLocations& tasks;
  std::span<const std::uint32_t> order;
  std::uint64_t location_bytes;
  const LocationPlaces& lie;
  bool are_warm;
};

struct Misses {
  double all = 0, streamed = 0;
};

Misses misses(const Request& request, std::uint64_t line_bytes, std::uint64_t cache_bytes,
              double streamed_bytes) {
  if (cache_bytes < line_bytes || request.tasks.location_count == 0) return {};
  // A location of several lines counts as one large line.
  const std::uint64_t unit = std::max(line_bytes, request.location_bytes);
  const std::uint64_t lines_a_unit = (unit + line_bytes - 1) / line_bytes;
  const std::uint64_t slots = std::max<std::uint64_t>(1, cache_bytes / unit);
  const auto place_of = [&](std::uint32_t location) {
    return std::uint64_t{request.lie.begins.empty() ? location : request.lie.begins[location]};
  };
  const auto size_of = [&](std::uint32_t location) {
    return std::uint64_t{request.lie.sizes.empty() ? 1 : request.lie.sizes[location]};
  };
  std::uint64_t places = 1;
  for (std::uint32_t location = 0; location < request.tasks.location_count; ++location)
    places = std::max(places, place_of(location) + size_of(location));
  std::uint64_t accesses = 0;
  for (const std::uint32_t task : request.order)
    accesses += request.tasks.begin[task + 1] - request.tasks.begin[task];
  int shift = 0;
  while ((accesses >> shift) > kSampledAccesses && (slots >> (shift + 1)) >= kLeastSlots) ++shift;
  const std::uint64_t mask = (std::uint64_t{1} << shift) - 1;
  const std::uint64_t lines = (places * request.location_bytes - 1) / unit + 1;
  // Streamed data are modelled by extra lines, used in turn: one more than the cache holds, so that
  // each use is a miss. There are no more of them than uses, so that a small loop takes little
  // memory.
  const double passing_a_line = streamed_bytes / static_cast<double>(unit << shift);
  const double all_passing =
      passing_a_line * static_cast<double>(accesses) * (request.are_warm ? 2 : 1) + 1;
  const std::uint64_t passing =
      streamed_bytes > 0
          ? std::min((slots >> shift) + 1, static_cast<std::uint64_t>(all_passing) + 1)
          : 0;
  Cache cache(slots >> shift, lines + passing);
  Streams streams(lines);
  std::uint64_t missed = 0, streamed = 0, passed = 0;
  std::uint64_t last = UINT64_MAX;
  double due = 0;
  for (int run = request.are_warm ? 0 : 1; run < 2; ++run) {
    missed = streamed = 0;
    for (const std::uint32_t task : request.order)
      for (std::uint64_t i = request.tasks.begin[task]; i < request.tasks.begin[task + 1]; ++i) {
        for (due += passing_a_line; due >= 1; due -= 1) cache.use(lines + passed++ % passing);
        const std::uint32_t location = request.tasks.locations[i];
        const std::uint64_t first = place_of(location) * request.location_bytes;
        const std::uint64_t end = first + size_of(location) * request.location_bytes;
        for (std::uint64_t line = first / unit; line * unit < end; ++line) {
          if (line == last) continue;
          last = line;
          const bool follows = streams.use(line);
          if (shift != 0 && (mix_bits(line) & mask) != 0) continue;
          const bool miss = cache.use(line);
          missed += miss;
          streamed += miss && follows;
        }
      }
  }
  return {static_cast<double>((missed << shift) * lines_a_unit),
          static_cast<double>((streamed << shift) * lines_a_unit)};
}

}  // namespace

ReuseEstimate estimate_reuse(const TaskLocations& tasks, std::span<const std::uint32_t> order,
                             std::uint32_t location_bytes, const ReuseCaches& caches,
                             const LocationPlaces& lie) {
  const Request request{tasks, order, std::max<std::uint64_t>(1, location_bytes), lie,
                        caches.are_warm};
  ReuseEstimate estimate;
  if (caches.line_bytes > 0) {
    const Misses lines =
        misses(request, caches.line_bytes, caches.cache_bytes, caches.streamed_bytes);
    estimate.line_misses = lines.all;
    estimate.streamed_lines = lines.streamed;
  }
  if (caches.page_bytes > 0)
    estimate.tlb_misses =
        misses(request, caches.page_bytes, caches.tlb_entries * caches.page_bytes, 0).all;
  return estimate;
}

}  // namespace Atoll
