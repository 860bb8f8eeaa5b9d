// Concurrent average memory access time [gpgpu-camat §2.2]: the time in which at least one access
// is under way, by the number of accesses; and the five parameters that make it up.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/ticks.hpp"

namespace Atoll::simulate {

/// Sums over one cache or several: what the parameters are made of. "Active" is time in which at
/// least one access does so; sums count each access's time.
struct CamatSums {
  std::uint64_t accesses = 0, pure_misses = 0;
  Ticks hit_time = 0, hit_active = 0;          ///< hits and the look-ups of misses
  Ticks pure_miss_time = 0, pure_miss_active = 0;  ///< misses while nothing hits
  Ticks active = 0;                            ///< accesses, measured on its own

  void add(const CamatSums& other);
  // In ticks where they are times; 0 without accesses.
  [[nodiscard]] double camat() const;           ///< Equation 1: active / accesses
  [[nodiscard]] double mean_hit_time() const;   ///< H
  [[nodiscard]] double hit_concurrency() const;   ///< C_H
  [[nodiscard]] double miss_concurrency() const;  ///< C_M
  [[nodiscard]] double pure_miss_ratio() const;   ///< pMR
  [[nodiscard]] double pure_miss_penalty() const;  ///< pAMP
  /// Equation 2: H / C_H + pMR * pAMP / C_M.
  [[nodiscard]] double camat_of_five() const;
};

/// Watches one cache.
class CamatMeter {
 public:
  /// An access looks for its data from `start` to `hit_end`; a miss has them at `end` > hit_end.
  /// Accesses may come in any order after the last settle().
  void add(Ticks start, Ticks hit_end, Ticks end);
  /// The same of a hit, if no later access starts before this one.
  void add_hit_in_order(Ticks start, Ticks end);
  /// No access starts before `until` any more.
  void settle(Ticks until);
  void finish();
  [[nodiscard]] const CamatSums& sums() const { return sums_; }

 private:
  struct One {
    Ticks start, hit_end, end;
  };
  struct Miss {
    Ticks end;
    Ticks pure_before;  ///< pure miss time until it began to miss
  };
  void begin(const One& access);
  void advance(Ticks until);

  CamatSums sums_;
  std::vector<One> waiting_;  ///< from first_ on, by start
  std::size_t first_ = 0;
  Ticks now_ = 0;
  Ticks pure_ = 0;               ///< time so far in which there were misses and no hits
  Ticks active_until_ = 0;       ///< the latest end so far
  Ticks quick_until_ = 0;   ///< until then hits are counted that hits_ hasn't
  std::vector<One> hits_;        ///< a heap by hit_end
  std::vector<Miss> misses_;     ///< a heap by end
};

}  // namespace Atoll::simulate
