#include "simulate/camat.hpp"

#include <algorithm>
#include <limits>

namespace Atoll::simulate {
namespace {

double ratio(double a, double b) {
  return b == 0 ? 0 : a / b;
}

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

void CamatMeter::wait(Ticks start, Ticks hit_end, Ticks end) {
  waiting_.push_back({start, hit_end, end});
  for (std::size_t at = waiting_.size() - 1; at > first_ && waiting_[at - 1].start > start; --at)
    std::swap(waiting_[at], waiting_[at - 1]);
}

void CamatMeter::pass_gap(Ticks until) {
  Ticks last = hits_until_;
  std::size_t left = 0;
  for (Miss miss : misses_) {
    const Ticks end = std::min(miss.end, until);
    if (end > hits_until_) {
      sums_.pure_misses += miss.others;
      miss.pure += miss.others;
      miss.others = 0;
      sums_.pure_miss_time += (end - hits_until_) * static_cast<Ticks>(miss.pure);
      last = std::max(last, end);
    }
    if (miss.end > until) misses_[left++] = miss;
  }
  misses_.resize(left);
  sums_.pure_miss_active += last - hits_until_;
}

void CamatMeter::finalize_until(Ticks until) {
  while (first_ < waiting_.size() && waiting_[first_].start < until) count(waiting_[first_++]);
  if (first_ == waiting_.size()) {
    waiting_.clear();
    first_ = 0;
  } else if (first_ >= 1024) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  // Without gaps pass_gap() never runs, so finished misses are removed here.
  if (misses_.size() > kMany)
    std::erase_if(misses_, [this](const Miss& miss) { return miss.end <= hits_until_; });
}

void CamatMeter::finish() {
  constexpr Ticks kNever = std::numeric_limits<Ticks>::max();
  finalize_until(kNever);
  pass_gap(kNever);
}

}  // namespace Atoll::simulate
