// Chains that came before, with their plans: a chain is recognised by what was queued.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "atoll/stencil/plan.hpp"
#include "stencil/tuner.hpp"

namespace Atoll::stencil {

struct Queued;

/// A chain that came at least once.
class KnownChain {
 public:
  /// The plan to run now.
  [[nodiscard]] const Plan& plan() const { return plans_.at(tuner_->now()); }
  [[nodiscard]] const Chain& chain() const { return chain_; }
  /// For each loop, its row in the program's report; empty at first.
  [[nodiscard]] std::vector<int>& report_rows() { return report_; }
  /// Tells how long the plan took: another one may be tried next time.
  void ran(double seconds);

 private:
  friend class PlanCache;
  Chain chain_;
  std::vector<std::uint64_t> signature_;
  std::shared_ptr<Tuner> tuner_;
  std::map<std::size_t, Plan> plans_;  ///< by the tuner's sizes
  double plan_seconds_ = 0;            ///< that one of them takes
  bool ran_before_ = false;
  std::vector<int> report_;
};

/// All known chains of a program.
class PlanCache {
 public:
  /// The known chain that is like the queue; it is planned if there is none. If no size of tiles
  /// was given, some are tried.
  KnownChain& find(const std::vector<Queued>& queue, const PlanOptions& options,
                   const CacheFigures& caches);
  [[nodiscard]] std::uint64_t plans() const { return plans_; }
  [[nodiscard]] double plan_seconds() const { return plan_seconds_; }

 private:
  void make_plan_of(KnownChain& known, PlanOptions options);
  [[nodiscard]] std::shared_ptr<Tuner> tuner_for(const std::vector<Queued>& queue,
                                                 const Chain& chain, const PlanOptions& options,
                                                 const CacheFigures& caches);

  std::vector<std::uint64_t> signature_;
  std::unordered_multimap<std::uint64_t, std::unique_ptr<KnownChain>> known_;
  std::map<std::vector<std::uint64_t>, std::shared_ptr<Tuner>> tuners_;
  std::uint64_t plans_ = 0;
  double plan_seconds_ = 0;
};

/// The queue as planning sees it.
[[nodiscard]] Chain chain_of(const std::vector<Queued>& queue);

}  // namespace Atoll::stencil
