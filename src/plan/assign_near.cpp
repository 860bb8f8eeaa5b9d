// Few parties are assigned by a depth-first search, which is cut off where the cost reaches that of
// the best assignment so far. Many parties are assigned greedily, then improved by exchanges.
#include "plan/assign_near.hpp"

#include <algorithm>
#include <numeric>

namespace Atoll::detail {
namespace {

using Seats = std::vector<std::uint32_t>;

constexpr int kPasses = 20;         ///< over all pairs
constexpr double kRounding = 1e-9;  ///< fraction of the cost: a smaller gain is a rounding error

Seats own_seats(std::size_t parties) {
  Seats seats(parties);
  std::iota(seats.begin(), seats.end(), 0U);
  return seats;
}

class Assignment {
 public:
  Assignment(const AffinityMatrix& communication, const DistanceMatrix& distances,
             const std::vector<std::size_t>& kinds)
      : communication_(communication),
        distances_(distances),
        kinds_(kinds),
        parties_(kinds.size()),
        best_(own_seats(parties_)),
        best_cost_(cost_of(communication, distances, best_)),
        least_gain_(best_cost_ * kRounding) {}

  Seats exact() {
    now_.assign(parties_, 0);
    taken_.assign(parties_, false);
    place(0, 0);
    return best_;
  }

  Seats searched() {
    Seats kept = best_, fresh = grown();
    exchange(kept);
    exchange(fresh);
    const auto cost = [&](const Seats& seats) {
      return cost_of(communication_, distances_, seats);
    };
    return cost(fresh) < cost(kept) - least_gain_ ? fresh : kept;
  }

 private:
  void place(std::size_t party, double cost) {
    if (party == parties_) {
      best_ = now_;
      best_cost_ = cost;
      return;
    }
    for (std::uint32_t seat = 0; seat < parties_; ++seat) {
      if (taken_[seat] || kinds_[seat] != kinds_[party]) continue;
      double with = cost;
      for (std::size_t other = 0; other < party; ++other)
        with += communication_.at(party, other) * distances_.at(seat, now_[other]);
      if (with >= best_cost_ - least_gain_) continue;
      now_[party] = seat;
      taken_[seat] = true;
      place(party + 1, with);
      taken_[seat] = false;
    }
  }

  /// Assigns greedily: the party that communicates most with those already assigned gets the best
  /// free seat.
  [[nodiscard]] Seats grown() const {
    Seats seats(parties_);
    std::vector<double> with(
        parties_);  // communication with the parties already assigned; at first with all
    for (std::size_t i = 0; i < parties_; ++i) with[i] = communication_.of(i);
    std::vector<std::size_t> waiting(parties_), seated;
    std::iota(waiting.begin(), waiting.end(), std::size_t{0});
    std::vector<bool> taken(parties_);
    while (!waiting.empty()) {
      const auto next =
          std::ranges::max_element(waiting, {}, [&](std::size_t i) { return with[i]; });
      const std::size_t party = *next;
      waiting.erase(next);
      if (seated.empty()) std::ranges::fill(with, 0);
      std::size_t best = seated.empty() ? party : parties_;
      double least = 0;
      for (std::size_t seat = 0; seat < parties_ && !seated.empty(); ++seat) {
        if (taken[seat] || kinds_[seat] != kinds_[party]) continue;
        double cost = 0;
        for (const std::size_t other : seated)
          cost += communication_.at(party, other) * distances_.at(seat, seats[other]);
        if (best != parties_ && cost >= least) continue;
        best = seat;
        least = cost;
      }
      seats[party] = static_cast<std::uint32_t>(best);
      taken[best] = true;
      seated.push_back(party);
      for (const std::size_t i : waiting) with[i] += communication_.at(i, party);
    }
    return seats;
  }

  void exchange(Seats& seats) const {
    for (int pass = 0; pass < kPasses; ++pass) {
      bool better = false;
      for (std::size_t a = 0; a < parties_; ++a)
        for (std::size_t b = 0; b < a; ++b) {
          if (kinds_[a] != kinds_[b] || gain(seats, a, b) <= least_gain_) continue;
          std::swap(seats[a], seats[b]);
          better = true;
        }
      if (!better) return;
    }
  }

  [[nodiscard]] double gain(const Seats& seats, std::size_t a, std::size_t b) const {
    double gain = 0;
    for (std::size_t k = 0; k < parties_; ++k)
      if (k != a && k != b)
        gain += (communication_.at(a, k) - communication_.at(b, k)) *
                (distances_.at(seats[a], seats[k]) - distances_.at(seats[b], seats[k]));
    return gain;
  }

  const AffinityMatrix& communication_;
  const DistanceMatrix& distances_;
  const std::vector<std::size_t>& kinds_;
  std::size_t parties_;
  Seats best_;
  double best_cost_, least_gain_;
  Seats now_;
  std::vector<bool> taken_;
};

}  // namespace

double cost_of(const AffinityMatrix& communication, const DistanceMatrix& distances,
               const Seats& seats) {
  double cost = 0;
  for (std::size_t i = 0; i < seats.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      cost += communication.at(i, j) * distances.at(seats[i], seats[j]);
  return cost;
}

Seats assign_near(const AffinityMatrix& communication, const DistanceMatrix& distances,
                  const std::vector<std::size_t>& kinds) {
  Assignment assignment(communication, distances, kinds);
  return kinds.size() <= kMaxExact ? assignment.exact() : assignment.searched();
}

}  // namespace Atoll::detail
