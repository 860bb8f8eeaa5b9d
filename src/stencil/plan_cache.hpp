// Chains that came before, with their plans: a chain is recognised by what was queued.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
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
  KnownChain(std::span<const Queued> queue, Chain chain, int threads);

  /// Its loops, with room for what they capture.
  [[nodiscard]] std::span<Queued> queue() { return queue_; }
  /// True if these loops are queued.
  [[nodiscard]] bool is(std::span<const Queued> queue) const;
  /// The chain that followed last time, which is likely to follow again; null at first, and when
  /// that one was forgotten.
  [[nodiscard]] KnownChain* next() const { return next_.lock().get(); }
  void set_next(KnownChain& next) { next_ = next.self_; }
  /// The plan to run now.
  [[nodiscard]] const Plan& plan() const { return plans_.at(tuner_->now()); }
  [[nodiscard]] const Chain& chain() const { return chain_; }
  /// For each loop that has reductions, where their values go while it runs.
  [[nodiscard]] std::vector<std::unique_ptr<LoopResults>>& results() { return results_; }
  /// For each loop, its row in the program's report; empty at first.
  [[nodiscard]] std::vector<int>& report_rows() { return report_; }
  /// Tells how long the plan took: another one may be tried next time.
  void ran(double seconds);

 private:
  friend class PlanCache;
  Chain chain_;
  Arena kept_;  ///< what the loops declare, and room for what they capture
  std::vector<Queued> queue_;
  std::vector<std::unique_ptr<LoopResults>> results_;
  std::weak_ptr<KnownChain> self_, next_;
  std::uint64_t hash_ = 0;
  std::list<std::shared_ptr<KnownChain>>::iterator place_;  ///< among all
  std::shared_ptr<Tuner> tuner_;
  std::map<std::size_t, Plan> plans_;  ///< by the tuner's sizes
  double plan_seconds_ = 0;            ///< that one of them takes
  bool ran_before_ = false;
  std::vector<int> report_;
};

/// The known chains of a program: the last ones that were used.
class PlanCache {
 public:
  /// Chains of so many loops are kept together; a loop takes some 1.5 kB with its plan.
  /// `most_loops` is for tests.
  explicit PlanCache(std::size_t most_loops = 32768) : most_loops_(most_loops) {}

  /// The known chain that is like the queue; it is planned if there is none. If no size of tiles
  /// was given, some are tried. `expected`: a chain that begins with the loops of the queue, or
  /// null.
  KnownChain& find(std::span<const Queued> queue, KnownChain* expected, const PlanOptions& options,
                   const CacheFigures& caches);
  /// Forgets the chains that weren't used for longest, down to the last one, if there are too many
  /// loops. Nobody may use one of the others.
  void forget_some();
  [[nodiscard]] std::size_t chains() const { return chains_.size(); }
  [[nodiscard]] std::size_t tuners() const { return tuners_.size(); }
  [[nodiscard]] std::uint64_t plans() const { return plans_; }
  [[nodiscard]] double plan_seconds() const { return plan_seconds_; }

 private:
  [[nodiscard]] KnownChain* known(std::span<const Queued> queue, std::uint64_t hash) const;
  KnownChain& add(std::shared_ptr<KnownChain> chain, std::uint64_t hash);
  void make_plan_of(KnownChain& known, PlanOptions options);
  [[nodiscard]] std::shared_ptr<Tuner> tuner_for(std::span<const Queued> queue, const Chain& chain,
                                                 const PlanOptions& options,
                                                 const CacheFigures& caches);

  std::size_t most_loops_;
  std::size_t loops_ = 0;                          ///< of all chains; each counts one more
  std::list<std::shared_ptr<KnownChain>> chains_;  ///< the last one that was used comes first
  std::unordered_multimap<std::uint64_t, KnownChain*> by_hash_;
  std::map<std::vector<std::uint64_t>, std::shared_ptr<Tuner>> tuners_;
  std::uint64_t plans_ = 0;
  double plan_seconds_ = 0;
};

/// The queue as planning sees it.
[[nodiscard]] Chain chain_of(std::span<const Queued> queue);

}  // namespace Atoll::stencil
