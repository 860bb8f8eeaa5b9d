// Selects centres among a list of points by local search: PARSEC's Streamcluster [shoal §5.1]. Step
// numbers refer to docs/streamcluster.md. The result is the same for every number of threads: one
// thread draws all random numbers, blocks of sums depend only on the number of points, and all
// comparisons are made in the order of the points.
#pragma once

#include <atoll/atoll.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "distance.hpp"
#include "draws.hpp"
#include "points.hpp"

namespace streamcluster {

/// Result of one search.
struct Found {
  std::size_t centres = 0;
  double cost = 0;                ///< costs of the points, without the price of the centres
  std::uint64_t comparisons = 0;  ///< number of distances computed
};

/// One search. Its result is in `centres` and `costs` of the points; it swaps points.
class LocalSearch {
 public:
  LocalSearch(const Atoll::Team& team, Draws& draws, CostFunction cost_function, const Sizes& sizes,
              Points& points)
      : team_(team), draws_(draws), cost_function_(cost_function), sizes_(sizes), points_(points) {}

  Found run() {
    const std::size_t count = points_.count;
    double highest = over_blocks([&](std::size_t begin, std::size_t end, double*) {
      compare(begin, end, 0, points_.tried.master());
      return sum_of(points_.tried.master(), begin, end);
    });
    if (!std::isfinite(highest))
      throw Atoll::Error::input("points", "their distances are too large for single precision",
                                "scale them down");
    if (count <= sizes_.most) return each_its_own();
    double lowest = 0, price = highest / 2;  // price of opening a centre
    shuffle();
    double cost = open_speedily(price);
    if (centres_.size() < sizes_.least) cost = open_speedily(price);
    // If every point has the same position as its centre, no price opens another one.
    while (centres_.size() < sizes_.least && total() > 0) {
      highest = price;
      price = (highest + lowest) / 2;
      shuffle();
      cost = open_speedily(price);
    }
    draw_candidates();
    while (centres_.size() >= sizes_.least || total() > 0) {
      cost = improve(price, cost, 0.1F);
      const auto centres = static_cast<double>(centres_.size());
      const auto least = static_cast<double>(sizes_.least), most = static_cast<double>(sizes_.most);
      if ((centres <= 1.1 * most && centres >= 0.9 * least) ||
          (centres <= most + 2 && centres >= least - 2))
        cost = improve(price, cost, 0.001F);
      if (centres_.size() > sizes_.most) {
        lowest = price;
        price = (highest + lowest) / 2;
        cost += (price - lowest) * static_cast<double>(centres_.size());
      }
      if (centres_.size() < sizes_.least) {
        highest = price;
        price = (highest + lowest) / 2;
        cost += (price - highest) * static_cast<double>(centres_.size());
      }
      if ((centres_.size() >= sizes_.least && centres_.size() <= sizes_.most) ||
          lowest >= 0.999 * highest)
        break;
    }
    return {centres_.size(), total(), comparisons_};
  }

 private:
  static constexpr std::size_t kLeastBlock = 256;        // points
  static constexpr std::size_t kMaxBlocks = 256;         // for any number of points
  static constexpr std::size_t kMaxSavings = 4'000'000;  // numbers: 32 MB

  /// Returns the number of points in a block, if each block has `slots` numbers.
  [[nodiscard]] std::size_t block_size(std::size_t slots) const {
    const std::size_t blocks = std::clamp<std::size_t>(kMaxSavings / slots, 1, kMaxBlocks);
    return std::max(kLeastBlock, (points_.count + blocks - 1) / blocks);
  }

  /// Calls body(begin, end, savings) for all blocks of points on the team, and returns the sum of
  /// its results. Each block has its own `slots` savings, initially zero; their sums are stored in
  /// savings_.
  template <class Body>
  double over_blocks(Body&& body, std::size_t slots = 0) {
    const std::size_t size = block_size(std::max<std::size_t>(slots, 1));
    const std::size_t blocks = (points_.count + size - 1) / size;
    sums_.assign(blocks, 0);
    block_savings_.resize(blocks * slots);
    const auto do_blocks = [&](std::size_t first, std::size_t last) {
      std::vector<double> savings(slots);  // separate for each thread, to avoid false sharing
      for (std::size_t block = first; block < last; ++block) {
        std::fill(savings.begin(), savings.end(), 0.0);
        sums_[block] =
            body(block * size, std::min((block + 1) * size, points_.count), savings.data());
        std::copy(savings.begin(), savings.end(), block_savings_.begin() + block * slots);
      }
    };
    const auto threads = static_cast<std::size_t>(team_.size());
    if (blocks == 1 || threads == 1)
      do_blocks(0, blocks);
    else
      team_.run([&](int thread) {
        const auto t = static_cast<std::size_t>(thread);
        do_blocks(blocks * t / threads, blocks * (t + 1) / threads);
      });
    savings_.assign(slots, 0);
    for (std::size_t block = 0; block < blocks; ++block)
      for (std::size_t slot = 0; slot < slots; ++slot)
        savings_[slot] += block_savings_[block * slots + slot];
    double sum = 0;
    for (const double part : sums_) sum += part;
    return sum;
  }

  static double sum_of(const float* values, std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += values[i];
    return sum;
  }

  /// Computes the cost of points [begin, end) with point `to` as their centre.
  void compare(std::size_t begin, std::size_t end, std::size_t to, float* tried) const {
    const std::uint32_t* const rows = points_.rows.local();
    cost_function_({points_.coordinates.local(), rows, points_.weights.local(), points_.dimensions,
                    begin, end, rows[to], tried});
  }

  /// Returns the total cost of all points.
  [[nodiscard]] double total() {
    return over_blocks([&](std::size_t begin, std::size_t end, double*) {
      return sum_of(points_.costs.local(), begin, end);
    });
  }

  Found each_its_own() {
    for (std::size_t i = 0; i < points_.count; ++i) {
      points_.centres.master()[i] = static_cast<std::uint32_t>(i);
      points_.costs.master()[i] = 0;
    }
    return {points_.count, 0, points_.count};
  }

  /// Shuffles the points; invalidates their costs and centres.
  void shuffle() {
    std::uint32_t* const rows = points_.rows.master();
    float* const weights = points_.weights.master();
    for (std::size_t i = 0; i + 1 < points_.count; ++i) {
      const std::size_t j = i + static_cast<std::size_t>(draws_.whole()) % (points_.count - i);
      std::swap(rows[i], rows[j]);
      std::swap(weights[i], weights[j]);
    }
  }

  /// The speedy pass: each point becomes a centre with a probability that grows with its distance
  /// from the centres so far. Returns the total cost including the price of the centres.
  double open_speedily(double exact_price) {
    const auto price = static_cast<float>(exact_price);
    centres_.assign(1, 0);
    move_to(0, [](float, float) { return true; });
    for (std::size_t i = 1; i < points_.count; ++i) {
      if (!(draws_.unit() < points_.costs.local()[i] / price)) continue;
      centres_.push_back(static_cast<std::uint32_t>(i));
      move_to(i, [](float tried, float cost) { return tried < cost; });
    }
    return static_cast<float>(static_cast<double>(price * static_cast<float>(centres_.size())) +
                              total());
  }

  /// Assigns to centre x all points for which moves(cost with x, present cost) is true.
  template <class Moves>
  void move_to(std::size_t x, Moves&& moves) {
    comparisons_ += points_.count;
    over_blocks([&](std::size_t begin, std::size_t end, double*) {
      float* const tried = points_.tried.master();
      float* const costs = points_.costs.master();
      std::uint32_t* const centres = points_.centres.master();
      compare(begin, end, x, tried);
      for (std::size_t i = begin; i < end; ++i)
        if (moves(tried[i], costs[i])) {
          costs[i] = tried[i];
          centres[i] = static_cast<std::uint32_t>(x);
        }
      return 0.0;
    });
  }

  /// Returns 3 k ln k, rounded down.
  static std::size_t tries(std::uint64_t k) {
    return static_cast<std::size_t>(3.0 * static_cast<double>(k) *
                                    std::log(static_cast<double>(k)));
  }

  /// Draws candidates with probability proportional to their weight; if there are few points, takes
  /// all.
  void draw_candidates() {
    const std::size_t count = std::min(points_.count, tries(sizes_.least));
    candidates_.resize(count);
    if (count == points_.count) {
      for (std::size_t i = 0; i < count; ++i) candidates_[i] = static_cast<std::uint32_t>(i);
      return;
    }
    std::vector<float> up_to(points_.weights.local(), points_.weights.local() + points_.count);
    for (std::size_t i = 1; i < up_to.size(); ++i) up_to[i] += up_to[i - 1];
    for (std::uint32_t& candidate : candidates_) {
      const float drawn = draws_.unit() * up_to.back();
      const auto found = std::upper_bound(up_to.begin(), up_to.end() - 1, drawn);
      candidate = static_cast<std::uint32_t>(found - up_to.begin());
    }
  }

  /// Tries candidates in rounds until a round saves no more than this fraction of the cost.
  double improve(double exact_price, double cost, float least_change) {
    const double price = static_cast<float>(exact_price);
    const std::size_t count = candidates_.size();
    if (count == 0) return cost;  // k1 is 1
    double change = cost;
    while (change / cost > static_cast<double>(least_change)) {
      change = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t j = i + static_cast<std::size_t>(draws_.whole()) % (count - i);
        std::swap(candidates_[i], candidates_[j]);
      }
      for (std::size_t i = 0; i < tries(sizes_.most); ++i)
        change += try_centre(candidates_[i % count], price);
      cost -= change;
    }
    return static_cast<float>(cost);
  }

  /// Opens centre x and closes those whose price exceeds the savings that they then provide, if the
  /// total decreases. Returns the decrease, or 0.
  double try_centre(std::uint32_t x, double price) {
    const std::size_t slots = centres_.size();
    slots_.resize(points_.count);
    for (std::size_t slot = 0; slot < slots; ++slot)
      slots_[centres_[slot]] = static_cast<std::uint32_t>(slot);
    comparisons_ += points_.count;
    double change = over_blocks(
        [&](std::size_t begin, std::size_t end, double* savings) {
          float* const tried = points_.tried.master();
          const float* const costs = points_.costs.local();
          const std::uint32_t* const centres = points_.centres.local();
          compare(begin, end, x, tried);
          double moved = 0;
          for (std::size_t i = begin; i < end; ++i) {
            const float saved = costs[i] - tried[i];
            if (saved > 0)
              moved -= saved;
            else
              savings[slots_[centres[i]]] += saved;
          }
          return moved;
        },
        slots);
    std::size_t left = 0;
    closes_.resize(slots);
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const double saved = price + savings_[slot];
      closes_[slot] = saved > 0;
      if (saved > 0)
        change -= saved;
      else
        ++left;
    }
    change += price;
    if (!(change < 0)) return 0;
    over_blocks([&](std::size_t begin, std::size_t end, double*) {
      const float* const tried = points_.tried.local();
      float* const costs = points_.costs.master();
      std::uint32_t* const centres = points_.centres.master();
      for (std::size_t i = begin; i < end; ++i)
        if (tried[i] < costs[i] || closes_[slots_[centres[i]]]) {
          costs[i] = tried[i];
          centres[i] = x;
        }
      return 0.0;
    });
    std::vector<std::uint32_t> open;
    open.reserve(left + 1);
    for (std::size_t slot = 0; slot < slots; ++slot)
      if (!closes_[slot]) open.push_back(centres_[slot]);
    open.insert(std::lower_bound(open.begin(), open.end(), x), x);
    centres_ = std::move(open);
    return -change;
  }

  const Atoll::Team& team_;
  Draws& draws_;
  const CostFunction cost_function_;
  const Sizes& sizes_;
  Points& points_;
  std::vector<std::uint32_t> centres_;     ///< ascending
  std::vector<std::uint32_t> candidates_;  ///< points that improve() tries as centres
  std::vector<std::uint32_t> slots_;       ///< for a point that is a centre: its index in centres_
  std::vector<char> closes_;               ///< for each centre: whether it closes
  std::vector<double> sums_;               ///< for each block
  std::vector<double> block_savings_;      ///< for each block, a number for each centre
  std::vector<double> savings_;            ///< for each centre
  std::uint64_t comparisons_ = 0;
};

}  // namespace streamcluster
