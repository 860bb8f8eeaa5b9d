// Depth-first branch and bound with a Lagrangian bound: under a price for each resource, items
// choose independently. Greedy choices give the first upper bound.
#include "plan/assignment.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

namespace Atoll::detail {
namespace {

using Items = std::span<const std::vector<Option>>;
using Chosen = std::vector<std::size_t>;

constexpr int kPriceRounds = 200;
constexpr double kTie = 1e-12;  // relative: sums in another order differ by rounding

double amount(const Option& option) {
  double sum = 0;
  for (const auto& [resource, taken] : option.takes) sum += static_cast<double>(taken);
  return sum;
}

double total_cost(Items items, const Chosen& choice) {
  double sum = 0;
  for (std::size_t i = 0; i < items.size(); ++i) sum += items[i][choice[i]].cost;
  return sum;
}

// The remaining amount of each resource.
class Room {
 public:
  explicit Room(std::span<const std::uint64_t> capacity)
      : left_(capacity.begin(), capacity.end()) {}

  [[nodiscard]] bool fits(const Option& option) const {
    return std::ranges::all_of(option.takes,
                               [&](const auto& take) { return take.second <= left_[take.first]; });
  }
  void take(const Option& option) {
    for (const auto& [resource, taken] : option.takes) left_[resource] -= taken;
  }
  void give_back(const Option& option) {
    for (const auto& [resource, taken] : option.takes) left_[resource] += taken;
  }

 private:
  std::vector<std::uint64_t> left_;
};

// Gives each item, in order, its first option by `rank` that fits. Then repeatedly switches to the
// option with the greatest gain per amount that fits.
std::optional<Chosen> greedy(Items items, std::span<const std::uint64_t> capacity,
                             const std::vector<std::vector<double>>& rank) {
  Room room(capacity);
  Chosen choice;
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::size_t best = items[i].size();
    for (std::size_t o = 0; o < items[i].size(); ++o)
      if ((best == items[i].size() || rank[i][o] < rank[i][best]) && room.fits(items[i][o]))
        best = o;
    if (best == items[i].size()) return std::nullopt;
    room.take(items[i][best]);
    choice.push_back(best);
  }
  for (;;) {
    double best_rate = 0;
    std::size_t best_item = 0, best_option = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Option& now = items[i][choice[i]];
      room.give_back(now);
      for (std::size_t o = 0; o < items[i].size(); ++o) {
        const Option& other = items[i][o];
        const double gain = now.cost - other.cost;
        if (gain <= kTie * now.cost || !room.fits(other)) continue;
        const double rate = gain / std::max(1.0, amount(other) - amount(now));
        if (rate > best_rate) std::tie(best_rate, best_item, best_option) = std::tuple(rate, i, o);
      }
      room.take(now);
    }
    if (best_rate == 0) return choice;
    room.give_back(items[best_item][choice[best_item]]);
    choice[best_item] = best_option;
    room.take(items[best_item][best_option]);
  }
}

// Costs that include the price of the resources.
struct Priced {
  std::vector<std::vector<double>> cost;  // by item and option
  double capacity = 0;                    // price of all resources, to subtract from the sum

  Priced(Items items, std::span<const std::uint64_t> amounts, const std::vector<double>& price) {
    for (const auto& options : items) {
      auto& costs = cost.emplace_back();
      for (const Option& option : options) {
        double sum = option.cost;
        for (const auto& [resource, taken] : option.takes)
          sum += price[resource] * static_cast<double>(taken);
        costs.push_back(sum);
      }
    }
    for (std::size_t r = 0; r < amounts.size(); ++r)
      capacity += price[r] * static_cast<double>(amounts[r]);
  }

  [[nodiscard]] double bound() const {
    double sum = -capacity;
    for (const auto& costs : cost) sum += std::ranges::min(costs);
    return sum;
  }
};

// Returns the excess of each resource under the items' independent choices, as a fraction of its
// capacity; -1 if nothing is used.
std::vector<double> overdrawn(Items items, std::span<const std::uint64_t> capacity,
                              const Priced& priced) {
  std::vector<double> overdraw(capacity.size(), -1);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto own = std::ranges::min_element(priced.cost[i]) - priced.cost[i].begin();
    for (const auto& [resource, taken] : items[i][static_cast<std::size_t>(own)].takes)
      if (capacity[resource] > 0)
        overdraw[resource] += static_cast<double>(taken) / static_cast<double>(capacity[resource]);
  }
  return overdraw;
}

// A good choice, and prices with a good bound, found by subgradient steps. Each round's priced
// costs also serve as a rank for the greedy choice.
struct Start {
  std::optional<Chosen> choice = {};
  double cost = std::numeric_limits<double>::infinity();
  Priced priced;
};

Start find_start(Items items, std::span<const std::uint64_t> capacity) {
  std::vector<double> price(capacity.size());
  Start start{.priced = Priced(items, capacity, price)};
  double target = 0;  // upper limit of the bound: the best cost, or the sum of maxima
  std::vector<std::vector<double>> amounts;
  for (const auto& options : items) {
    target += std::ranges::max(options, {}, &Option::cost).cost;
    auto& of_item = amounts.emplace_back();
    for (const Option& option : options) of_item.push_back(amount(option));
  }
  const auto try_rank = [&](const std::vector<std::vector<double>>& rank) {
    auto choice = greedy(items, capacity, rank);
    if (!choice) return;
    if (const double cost = total_cost(items, *choice); cost < start.cost) {
      start.choice = std::move(choice);
      start.cost = target = cost;
    }
  };
  try_rank(amounts);

  double best_bound = start.priced.bound(), step = 1;
  for (int round = 0, last_gain = 0; round < kPriceRounds; ++round) {
    Priced priced(items, capacity, price);
    const double bound = priced.bound();
    std::vector<double> overdraw = overdrawn(items, capacity, priced);
    if (bound > best_bound) {
      try_rank(priced.cost);
      start.priced = std::move(priced);
      best_bound = bound;
      last_gain = round;
    } else if (round - last_gain > 10) {
      step /= 2;
      last_gain = round;
    }
    double length = 0;
    for (std::size_t r = 0; r < price.size(); ++r) {
      if (price[r] == 0 && overdraw[r] < 0) overdraw[r] = 0;
      length += overdraw[r] * overdraw[r];
    }
    if (length == 0 || bound >= target) break;
    for (std::size_t r = 0; r < price.size(); ++r) {
      if (capacity[r] == 0) continue;
      const double change = step * (target - bound) / length * overdraw[r];
      price[r] = std::max(0.0, price[r] + change / static_cast<double>(capacity[r]));
    }
  }
  return start;
}

class Search {
 public:
  Search(Items items, std::span<const std::uint64_t> capacity) : items_(items), room_(capacity) {
    Start start = find_start(items, capacity);
    const Priced& priced = start.priced;
    best_ = std::move(start.choice);
    best_cost_ = start.cost;
    for (std::size_t i = 0; i < items.size(); ++i) {
      auto& order = order_.emplace_back(items[i].size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::stable_sort(order, {}, [&](std::size_t o) { return priced.cost[i][o]; });
    }
    rest_.assign(items.size() + 1, 0);
    rest_priced_.assign(items.size() + 1, -priced.capacity);
    for (std::size_t i = items.size(); i-- > 0;) {
      rest_[i] = rest_[i + 1] + std::ranges::min(items[i], {}, &Option::cost).cost;
      rest_priced_[i] = rest_priced_[i + 1] + priced.cost[i][order_[i].front()];
    }
    priced_ = priced.cost;
  }

  [[nodiscard]] std::optional<Chosen> run() {
    Chosen choice(items_.size());
    descend(0, 0, 0, choice);
    return best_;
  }

 private:
  void descend(std::size_t item, double cost, double priced, Chosen& choice) {
    if (item == items_.size()) {
      best_ = choice;
      best_cost_ = cost;
      return;
    }
    for (const std::size_t option : order_[item]) {
      const Option& candidate = items_[item][option];
      const double with = cost + candidate.cost;
      const double with_priced = priced + priced_[item][option];
      const double to_beat = best_ ? best_cost_ - kTie * std::abs(best_cost_) : best_cost_;
      if (with_priced + rest_priced_[item + 1] >= to_beat)
        return;  // all later options cost at least as much
      if (with + rest_[item + 1] >= to_beat || !room_.fits(candidate)) continue;
      if (++steps_ > kMaxSteps) return;
      room_.take(candidate);
      choice[item] = option;
      descend(item + 1, with, with_priced, choice);
      room_.give_back(candidate);
    }
  }

  Items items_;
  Room room_;
  std::optional<Chosen> best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
  std::vector<std::vector<std::size_t>> order_;  // options of an item by priced cost
  std::vector<std::vector<double>> priced_;      // costs with prices, by item and option
  std::vector<double> rest_, rest_priced_;       // least sums over this and all later items
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<Chosen> cheapest(Items items, std::span<const std::uint64_t> capacity) {
  Chosen chosen_by_item;
  Room room(capacity);
  bool all_fit = true;
  for (const auto& options : items) {
    if (options.empty()) return std::nullopt;
    const auto least = std::ranges::min_element(options, {}, &Option::cost);
    chosen_by_item.push_back(static_cast<std::size_t>(least - options.begin()));
    all_fit = all_fit && room.fits(*least);
    if (all_fit) room.take(*least);
  }
  if (all_fit) return chosen_by_item;

  // Large items are decided first: their options have the most effect.
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) {
    const Option& least = std::ranges::min(items[i], {}, amount);
    return std::pair(amount(least), least.cost);
  });
  std::vector<std::vector<Option>> ordered;
  ordered.reserve(order.size());
  for (const std::size_t i : order) ordered.push_back(items[i]);
  const auto chosen = Search(ordered, capacity).run();
  if (!chosen) return std::nullopt;
  for (std::size_t k = 0; k < order.size(); ++k) chosen_by_item[order[k]] = (*chosen)[k];
  return chosen_by_item;
}

}  // namespace Atoll::detail
