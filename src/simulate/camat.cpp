#include "simulate/camat.hpp"

#include <algorithm>
#include <limits>

namespace Atoll::simulate {
namespace {

double ratio(double a, double b) {
  return b == 0 ? 0 : a / b;
}

constexpr auto kLaterHit = [](const auto& a, const auto& b) { return a.hit_end > b.hit_end; };
constexpr auto kLaterMiss = [](const auto& a, const auto& b) { return a.end > b.end; };

}  // namespace

void CamatSums::add(const CamatSums& other) {
  accesses += other.accesses;
  pure_misses += other.pure_misses;
  hit_time += other.hit_time;
  hit_active += other.hit_active;
  pure_miss_time += other.pure_miss_time;
  pure_miss_active += other.pure_miss_active;
  active += other.active;
}
double CamatSums::camat() const {
  return ratio(static_cast<double>(active), static_cast<double>(accesses));
}
double CamatSums::mean_hit_time() const {
  return ratio(static_cast<double>(hit_time), static_cast<double>(accesses));
}
double CamatSums::hit_concurrency() const {
  return ratio(static_cast<double>(hit_time), static_cast<double>(hit_active));
}
double CamatSums::miss_concurrency() const {
  return ratio(static_cast<double>(pure_miss_time), static_cast<double>(pure_miss_active));
}
double CamatSums::pure_miss_ratio() const {
  return ratio(static_cast<double>(pure_misses), static_cast<double>(accesses));
}
double CamatSums::pure_miss_penalty() const {
  return ratio(static_cast<double>(pure_miss_time), static_cast<double>(pure_misses));
}
double CamatSums::camat_of_five() const {
  return ratio(mean_hit_time(), hit_concurrency()) +
         ratio(pure_miss_ratio() * pure_miss_penalty(), miss_concurrency());
}

void CamatMeter::add_hit_in_order(Ticks start, Ticks end) {
  // Most accesses are like that, with nothing under way that could change anything.
  if (first_ != waiting_.size() || !hits_.empty() || !misses_.empty()) return add(start, end, end);
  const Ticks from = std::max(start, active_until_);
  if (end > from) {
    sums_.hit_active += end - from;
    sums_.active += end - from;
    active_until_ = quick_until_ = end;
  }
  sums_.accesses += 1;
  sums_.hit_time += end - start;
  now_ = start;
}

void CamatMeter::add(Ticks start, Ticks hit_end, Ticks end) {
  waiting_.push_back({start, hit_end, end});
  for (std::size_t at = waiting_.size() - 1; at > first_ && waiting_[at - 1].start > start; --at)
    std::swap(waiting_[at], waiting_[at - 1]);
}

void CamatMeter::begin(const One& access) {
  advance(access.start);
  sums_.accesses += 1;
  sums_.hit_time += access.hit_end - access.start;
  const Ticks from = std::max(access.start, active_until_);
  if (access.end > from) {
    sums_.active += access.end - from;
    active_until_ = access.end;
  }
  hits_.push_back(access);
  std::push_heap(hits_.begin(), hits_.end(), kLaterHit);
}

/// Everything that ends until then ends. Ends come in their order, hits' first: a hit's end can
/// begin a miss.
void CamatMeter::advance(Ticks until) {
  constexpr Ticks kNever = std::numeric_limits<Ticks>::max();
  for (;;) {
    const Ticks hit = hits_.empty() ? kNever : hits_.front().hit_end;
    const Ticks miss = misses_.empty() ? kNever : misses_.front().end;
    const Ticks next = std::min({hit, miss, until});
    const Ticks from = std::max(now_, quick_until_);
    if (next > from) {
      if (!hits_.empty()) {
        sums_.hit_active += next - from;
      } else if (!misses_.empty()) {
        sums_.pure_miss_active += next - from;
        sums_.pure_miss_time += (next - from) * static_cast<Ticks>(misses_.size());
        pure_ += next - from;
      }
    }
    now_ = std::max(now_, next);
    if (hit <= until && hit <= miss) {
      const One one = hits_.front();
      std::pop_heap(hits_.begin(), hits_.end(), kLaterHit);
      hits_.pop_back();
      if (one.end > one.hit_end) {
        misses_.push_back({one.end, pure_});
        std::push_heap(misses_.begin(), misses_.end(), kLaterMiss);
      }
    } else if (miss <= until) {
      if (pure_ > misses_.front().pure_before) sums_.pure_misses += 1;
      std::pop_heap(misses_.begin(), misses_.end(), kLaterMiss);
      misses_.pop_back();
    } else {
      return;
    }
  }
}

void CamatMeter::settle(Ticks until) {
  while (first_ < waiting_.size() && waiting_[first_].start < until) begin(waiting_[first_++]);
  if (first_ == waiting_.size() || first_ >= 1024) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  if (!hits_.empty() || !misses_.empty()) advance(until);
}

void CamatMeter::finish() {
  settle(std::numeric_limits<Ticks>::max() - 1);
}

}  // namespace Atoll::simulate
