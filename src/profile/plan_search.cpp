// Local search from several starts: one unit at a time gets its best option while all others are
// fixed, until no option helps. The result is then simplified: changes that aren't needed are
// removed.
#include "profile/plan_search.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>

namespace Atoll::profile {
namespace {

using Kind = PlanOption::Kind;

/// Minimum advantage of a plan that needs bound threads over an equally simple one that doesn't.
constexpr double kWorthBinding = 0.01;
constexpr int kPasses = 10;  ///< maximum passes over all units; two are mostly enough

class Search {
 public:
  Search(std::span<const SearchedPlacement> placements, std::size_t units,
         const PredictedTime& time)
      : placements_(placements), units_(units), time_(time) {}

  FoundPlan find(double min_gain) {
    const State nothing = start(0, false, {});
    for (std::size_t placement = 0; placement < placements_.size(); ++placement)
      for (const bool only_unbound : {true, false}) {
        if (only_unbound && placements_[placement].binds) continue;
        for (const Kind kind : {Kind::first_touch, Kind::interleave, Kind::locality, Kind::balance})
          if (!only_unbound || kind == Kind::first_touch || kind == Kind::interleave)
            found_.push_back(improved(start(placement, only_unbound, kind)));
      }
    double best = nothing.seconds;
    for (const State& state : found_) best = std::min(best, state.seconds);
    const double enough = nothing.seconds * (1 - min_gain);
    if (!(best <= enough)) return plan_of(nothing, nothing.seconds);
    const double limit = std::min(best * (1 + kNearlyBest), enough);
    for (std::size_t placement = 0; placement < placements_.size(); ++placement)
      for (const bool only_unbound : {true, false})
        if (!only_unbound || !placements_[placement].binds)
          found_.push_back(grown(start(placement, only_unbound, {}), limit));
    std::optional<FoundPlan> simplest;
    for (State& state : found_) {
      if (state.seconds > limit) continue;
      const FoundPlan plan = plan_of(simplified(state, limit), nothing.seconds);
      const auto key = [](const FoundPlan& of) {
        return std::tuple(of.changes, of.seconds * (of.binds ? 1 + kWorthBinding : 1), of.runs);
      };
      if (!simplest || key(plan) < key(*simplest)) simplest = plan;
    }
    return *simplest;
  }

 private:
  struct State {
    std::size_t placement = 0;
    bool only_unbound = false;  ///< excludes options that need threads to be bound
    std::vector<std::size_t> options;
    PhasedTraffic traffic;
    double seconds = 0;
  };

  [[nodiscard]] const std::vector<PlanOption>& options(const State& state, std::size_t unit) const {
    return placements_[state.placement].options->of(unit);
  }
  [[nodiscard]] const PlanOption& chosen(const State& state, std::size_t unit) const {
    return options(state, unit)[state.options[unit]];
  }
  [[nodiscard]] double seconds(const State& state, const PhasedTraffic& traffic) const {
    return time_.seconds(traffic, placements_[state.placement].options->memory());
  }

  /// Returns the state in which all units have the option of this kind with the most runs.
  [[nodiscard]] State start(std::size_t placement, bool only_unbound, Kind kind) const {
    State state{.placement = placement,
                .only_unbound = only_unbound,
                .options = std::vector<std::size_t>(units_),
                .traffic = placements_[placement].options->timed_fixed()};
    for (std::size_t unit = 0; unit < units_; ++unit) {
      const auto& all = options(state, unit);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].kind == kind) state.options[unit] = i;
      state.traffic += chosen(state, unit).timed;
    }
    state.seconds = seconds(state, state.traffic);
    return state;
  }

  [[nodiscard]] double seconds_with(const State& state, std::size_t unit,
                                    const PlanOption& option) const {
    PhasedTraffic traffic = state.traffic;
    traffic -= chosen(state, unit).timed;
    traffic += option.timed;
    return seconds(state, traffic);
  }

  void change(State& state, std::size_t unit, std::size_t option) const {
    state.traffic -= chosen(state, unit).timed;
    state.options[unit] = option;
    state.traffic += chosen(state, unit).timed;
    state.seconds = seconds(state, state.traffic);
  }

  /// Returns the best other option of a unit that `allowed` permits, and the time with it. If there
  /// is none, returns the current option.
  template <class Allowed>
  std::pair<std::size_t, double> best_option(const State& state, std::size_t unit,
                                             Allowed&& allowed) const {
    std::pair<std::size_t, double> best{state.options[unit], state.seconds};
    bool any = false;
    const auto& all = options(state, unit);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == state.options[unit] || (state.only_unbound && all[i].binds()) || !allowed(all[i]))
        continue;
      const double with = seconds_with(state, unit, all[i]);
      if (any && with >= best.second) continue;
      best = {i, with};
      any = true;
    }
    return best;
  }

  [[nodiscard]] State improved(State state) const {
    for (int pass = 0; pass < kPasses; ++pass) {
      bool better = false;
      for (std::size_t unit = 0; unit < units_; ++unit) {
        const auto [option, with] =
            best_option(state, unit, [](const PlanOption&) { return true; });
        if (with >= state.seconds * (1 - kRounding)) continue;
        change(state, unit, option);
        better = true;
      }
      if (!better) break;
    }
    return state;
  }

  /// Adds changes, the most effective first, until the time is at most `limit`.
  [[nodiscard]] State grown(State state, double limit) const {
    while (state.seconds > limit) {
      std::size_t best_unit = units_, best_option_of_it = 0;
      double least = state.seconds * (1 - kRounding);
      for (std::size_t unit = 0; unit < units_; ++unit) {
        const auto [option, with] =
            best_option(state, unit, [](const PlanOption&) { return true; });
        if (with >= least) continue;
        least = with;
        best_unit = unit;
        best_option_of_it = option;
      }
      if (best_unit == units_) break;
      change(state, best_unit, best_option_of_it);
    }
    return state;
  }

  /// Removes the changes with the smallest effect while the time stays at most `limit`, then
  /// reduces the number of runs.
  [[nodiscard]] State simplified(State state, double limit) const {
    while (true) {
      std::size_t best_unit = units_;
      double least = limit;
      for (std::size_t unit = 0; unit < units_; ++unit) {
        if (state.options[unit] == 0) continue;
        const double without = seconds_with(state, unit, options(state, unit)[0]);
        if (without > least) continue;
        least = without;
        best_unit = unit;
      }
      if (best_unit == units_) break;
      change(state, best_unit, 0);
    }
    for (std::size_t unit = 0; unit < units_; ++unit)
      while (true) {
        const std::size_t runs = chosen(state, unit).runs;
        const auto [option, with] = best_option(state, unit, [&](const PlanOption& other) {
          return other.runs < runs && other.runs > 0;
        });
        if (option == state.options[unit] || with > limit) break;
        change(state, unit, option);
      }
    return state;
  }

  [[nodiscard]] FoundPlan plan_of(const State& state, double as_is) const {
    FoundPlan plan{.placement = state.placement,
                   .options = state.options,
                   .seconds = state.seconds,
                   .binds = placements_[state.placement].binds};
    for (std::size_t unit = 0; unit < units_; ++unit) {
      const PlanOption& option = chosen(state, unit);
      plan.binds = plan.binds || option.binds();
      plan.runs += option.runs;
      plan.saved.push_back(
          as_is > 0 && state.options[unit] != 0
              ? (seconds_with(state, unit, options(state, unit)[0]) - state.seconds) / as_is
              : 0);
      if (option.kind != Kind::first_touch) ++plan.changes;
    }
    if (state.placement > 0) ++plan.changes;
    return plan;
  }

  static constexpr double kRounding = 1e-9;

  std::span<const SearchedPlacement> placements_;
  const std::size_t units_;
  const PredictedTime& time_;
  std::vector<State> found_;
};

}  // namespace

FoundPlan search_plan(std::span<const SearchedPlacement> placements, std::size_t units,
                      const PredictedTime& time, double min_gain) {
  return Search(placements, units, time).find(min_gain);
}

}  // namespace Atoll::profile
