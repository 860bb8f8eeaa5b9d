// Concurrent average memory access time (C-AMAT) [gpgpu-camat §2.2]: the time in which at least one
// access is in flight, divided by the number of accesses; and the five parameters of its formula.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "simulate/ticks.hpp"

namespace Atoll::simulate {

/// Sums over one or several caches, from which the parameters are computed. `*_active` is the time
/// in which at least one access is in that phase; `*_time` adds up each access's time.
struct CamatSums {
  std::uint64_t accesses = 0, pure_misses = 0;
  Ticks hit_time = 0, hit_active = 0;              ///< hits, and the look-up phase of misses
  Ticks pure_miss_time = 0, pure_miss_active = 0;  ///< misses while no access hits
  Ticks active = 0;  ///< any access in flight; measured independently of the other sums

  void add(const CamatSums& other);
  // Times are in ticks. All return 0 without accesses.
  [[nodiscard]] double camat() const;              ///< Equation 1: active / accesses
  [[nodiscard]] double mean_hit_time() const;      ///< H
  [[nodiscard]] double hit_concurrency() const;    ///< C_H
  [[nodiscard]] double miss_concurrency() const;   ///< C_M
  [[nodiscard]] double pure_miss_ratio() const;    ///< pMR
  [[nodiscard]] double pure_miss_penalty() const;  ///< pAMP
  /// Equation 2: H / C_H + pMR * pAMP / C_M.
  [[nodiscard]] double camat_of_five() const;
};

/// Measures C-AMAT of one cache.
///
/// Accesses are counted in the order of their starts. Therefore the hit time is final up to the
/// latest end of a hit so far. Misses are pure only in a gap between that end and the next start.
class CamatMeter {
 public:
  /// Adds an access that looks up its data from `start` to `hit_end`. A miss has its data at `end`
  /// > `hit_end`. Accesses after the last finalize_until() may be added in any order.
  void add(Ticks start, Ticks hit_end, Ticks end) {
    if (start <= hits_until_)  // no gap can precede it any more
      count({start, hit_end, end});
    else
      wait(start, hit_end, end);
  }
  /// The same as add() if no later access starts before this one.
  void add_in_order(Ticks start, Ticks hit_end, Ticks end) {
    while (first_ != waiting_.size() && waiting_[first_].start <= start) count(waiting_[first_++]);
    count({start, hit_end, end});
  }
  /// Adds many accesses in order that take `hit_time` each and leave no gap: each starts no later
  /// than hits_until() at its time. `hits_until` is the end of the last hit, and `until` the latest
  /// time at which an access has its data.
  void add_hits(std::uint64_t accesses, Ticks hit_time, Ticks hits_until, Ticks until) {
    sums_.accesses += accesses;
    sums_.hit_time += static_cast<Ticks>(accesses) * hit_time;
    extend(hits_until_, hits_until, sums_.hit_active);
    extend(active_until_, until, sums_.active);
  }
  /// Marks `count` of the accesses as misses that have their data at `end`, after their look-up.
  void add_misses(Ticks end, std::uint32_t count) { miss_of(end).others += count; }
  /// The latest end of a hit so far.
  [[nodiscard]] Ticks hits_until() const { return hits_until_; }
  /// Start of the next access that was added but is not counted yet.
  [[nodiscard]] Ticks next_start() const {
    return first_ == waiting_.size() ? std::numeric_limits<Ticks>::max() : waiting_[first_].start;
  }
  /// Counts all accesses that start before `until`; no later access may start before it.
  void finalize_until(Ticks until);
  /// True if finalize_until() should be called to free memory.
  [[nodiscard]] bool is_full() const { return waiting_.size() > kMany || misses_.size() > kMany; }
  void finish();
  [[nodiscard]] const CamatSums& sums() const { return sums_; }

 private:
  struct One {
    Ticks start, hit_end, end;
  };
  struct Miss {
    Ticks end;
    // Accesses that wait for the same line: those counted as pure misses, and the others.
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
  /// Returns the record of the misses that end at `end`; adds one if none is found.
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
  static constexpr std::size_t kLookedAt = 4;  ///< number of last misses that miss_of() searches
  /// Accounts for the gap from hits_until_ to `until`, in which no access hits.
  void pass_gap(Ticks until);

  CamatSums sums_;
  std::vector<One> waiting_;  ///< not counted yet: from index first_ on, sorted by start
  std::size_t first_ = 0;
  Ticks hits_until_ = 0;      ///< latest end of a hit so far, or the end of the last gap
  Ticks active_until_ = 0;    ///< the latest end so far
  std::vector<Miss> misses_;  ///< misses that may end after hits_until_; unsorted
};

}  // namespace Atoll::simulate
