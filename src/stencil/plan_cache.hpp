// Chains that came before, with their plans: a chain is recognised by what was queued.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "atoll/stencil/plan.hpp"
#include "stencil/queued.hpp"
#include "stencil/reduce.hpp"
#include "stencil/tuner.hpp"

namespace Atoll::stencil {

/// A chain that came at least once.
class KnownChain {
 public:
  /// Copies what the loops declare.
  KnownChain(const std::vector<Queued>& queue, Chain chain, int threads);

  /// What its loops declare.
  [[nodiscard]] const std::vector<DeclaredLoop>& loops() const { return loops_; }
  /// True if these loops are queued.
  [[nodiscard]] bool is(const std::vector<Queued>& queue) const;
  /// The chain that followed last time, which is likely to follow again; null at first.
  [[nodiscard]] KnownChain* next() const { return next_; }
  void set_next(KnownChain& next) { next_ = &next; }
  /// The plan to run now.
  [[nodiscard]] const Plan& plan() const { return plans_.at(tuner_->now()); }
  [[nodiscard]] const Chain& chain() const { return chain_; }
  /// For each loop that has reductions, where their values go while it runs.
  [[nodiscard]] std::vector<std::optional<LoopResults>>& results() { return results_; }
  /// For each loop, its row in the program's report; empty at first.
  [[nodiscard]] std::vector<int>& report_rows() { return report_; }
  /// Tells how long the plan took: another one may be tried next time.
  void ran(double seconds);

 private:
  friend class PlanCache;
  Chain chain_;
  Arena lists_;
  std::vector<DeclaredLoop> loops_;
  std::vector<std::optional<LoopResults>> results_;
  KnownChain* next_ = nullptr;
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
  /// was given, some are tried. `expected`: a chain that begins with the loops of the queue, or
  /// null.
  KnownChain& find(const std::vector<Queued>& queue, KnownChain* expected,
                   const PlanOptions& options, const CacheFigures& caches);
  [[nodiscard]] std::uint64_t plans() const { return plans_; }
  [[nodiscard]] double plan_seconds() const { return plan_seconds_; }

 private:
  [[nodiscard]] KnownChain* known(const std::vector<Queued>& queue, std::uint64_t hash) const;
  void make_plan_of(KnownChain& known, PlanOptions options);
  [[nodiscard]] std::shared_ptr<Tuner> tuner_for(const std::vector<Queued>& queue,
                                                 const Chain& chain, const PlanOptions& options,
                                                 const CacheFigures& caches);

  std::unordered_multimap<std::uint64_t, std::unique_ptr<KnownChain>> known_;
  std::map<std::vector<std::uint64_t>, std::shared_ptr<Tuner>> tuners_;
  std::uint64_t plans_ = 0;
  double plan_seconds_ = 0;
};

/// The queue as planning sees it.
[[nodiscard]] Chain chain_of(const std::vector<Queued>& queue);

}  // namespace Atoll::stencil
