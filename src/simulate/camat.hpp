// Concurrent average memory access time [gpgpu-camat §2.2]: the time in which at least one access
// is under way, by the number of accesses; and the five parameters that make it up.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "simulate/ticks.hpp"

namespace Atoll::simulate {

/// Sums over one cache or several: what the parameters are made of. "Active" is time in which at
/// least one access does so; sums count each access's time.
struct CamatSums {
  std::uint64_t accesses = 0, pure_misses = 0;
  Ticks hit_time = 0, hit_active = 0;              ///< hits and the look-ups of misses
  Ticks pure_miss_time = 0, pure_miss_active = 0;  ///< misses while nothing hits
  Ticks active = 0;                                ///< accesses, measured on its own

  void add(const CamatSums& other);
  // In ticks where they are times; 0 without accesses.
  [[nodiscard]] double camat() const;              ///< Equation 1: active / accesses
  [[nodiscard]] double mean_hit_time() const;      ///< H
  [[nodiscard]] double hit_concurrency() const;    ///< C_H
  [[nodiscard]] double miss_concurrency() const;   ///< C_M
  [[nodiscard]] double pure_miss_ratio() const;    ///< pMR
  [[nodiscard]] double pure_miss_penalty() const;  ///< pAMP
  /// Equation 2: H / C_H + pMR * pAMP / C_M.
  [[nodiscard]] double camat_of_five() const;
};

/// Watches one cache.
///
/// Accesses are counted in the order of their starts. Then the time with hits is known up to the
/// latest end of a hit so far, and a gap between that and the next start is the only time in which
/// misses are pure.
class CamatMeter {
 public:
  /// An access looks for its data from `start` to `hit_end`; a miss has them at `end` > hit_end.
  /// Accesses may come in any order after the last settle().
  void add(Ticks start, Ticks hit_end, Ticks end) {
    if (start <= hits_until_)  // no gap comes before it any more
      count({start, hit_end, end});
    else
      wait(start, hit_end, end);
  }
  /// The same, if no later access starts before this one.
  void add_in_order(Ticks start, Ticks hit_end, Ticks end) {
    while (first_ != waiting_.size() && waiting_[first_].start <= start) count(waiting_[first_++]);
    count({start, hit_end, end});
  }
  /// Many accesses in order, which hit for `hit_time` each, and leave no gap: none starts behind
  /// hits_until() as it is then. The last hit ends at `hits_until`; the latest that one has its
  /// data is `until`.
  void add_hits(std::uint64_t accesses, Ticks hit_time, Ticks hits_until, Ticks until) {
    sums_.accesses += accesses;
    sums_.hit_time += static_cast<Ticks>(accesses) * hit_time;
    extend(hits_until_, hits_until, sums_.hit_active);
    extend(active_until_, until, sums_.active);
  }
  /// So many of them have their data at `end`, behind their hits.
  void add_misses(Ticks end, std::uint32_t count) { miss_of(end).others += count; }
  /// The latest end of a hit so far.
  [[nodiscard]] Ticks hits_until() const { return hits_until_; }
  /// When the next access starts that is known, but not counted yet.
  [[nodiscard]] Ticks next_start() const {
    return first_ == waiting_.size() ? std::numeric_limits<Ticks>::max() : waiting_[first_].start;
  }
  /// No access starts before `until` any more.
  void settle(Ticks until);
  /// True if settle() would make room.
  [[nodiscard]] bool is_full() const { return waiting_.size() > kMany || misses_.size() > kMany; }
  void finish();
  [[nodiscard]] const CamatSums& sums() const { return sums_; }

 private:
  struct One {
    Ticks start, hit_end, end;
  };
  struct Miss {
    Ticks end;
    // Accesses to one line wait for it together: those that were pure, and those that weren't yet.
    std::uint32_t pure, others;
  };
  void count(const One& access) {
    const auto [start, hit_end, end] = access;
    sums_.accesses += 1;
    sums_.hit_time += hit_end - start;
    if (start > hits_until_) {
      if (!misses_.empty()) pass_gap(start);
      hits_until_ = start;
    }
    extend(hits_until_, hit_end, sums_.hit_active);
    const Ticks from = start > active_until_ ? start : active_until_;
    if (end > from) {
      sums_.active += end - from;
      active_until_ = end;
    }
    if (end > hit_end) ++miss_of(end).others;
  }
  /// The misses that end then.
  Miss& miss_of(Ticks end) {
    for (std::size_t i = misses_.size(), left = kLookedAt; i > 0 && left > 0; --i, --left)
      if (misses_[i - 1].end == end) return misses_[i - 1];
    return misses_.emplace_back(Miss{end, 0, 0});
  }
  static void extend(Ticks& until, Ticks to, Ticks& sum) {
    if (to <= until) return;
    sum += to - until;
    until = to;
  }
  void wait(Ticks start, Ticks hit_end, Ticks end);
  static constexpr std::size_t kMany = 64;
  static constexpr std::size_t kLookedAt = 4;  ///< of the last misses, for one that ends then
  /// Nothing hits from hits_until_ to `until`.
  void pass_gap(Ticks until);

  CamatSums sums_;
  std::vector<One> waiting_;  ///< from first_ on, by start
  std::size_t first_ = 0;
  Ticks hits_until_ = 0;    ///< the latest end of a hit so far, or the start of the last gap's end
  Ticks active_until_ = 0;  ///< the latest end so far
  std::vector<Miss> misses_;  ///< that may go on beyond hits_until_, in no order
};

}  // namespace Atoll::simulate
