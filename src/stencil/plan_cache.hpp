// Cache of known chains and their plans: a chain is recognised by its queued loops.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "atoll/stencil/plan.hpp"
#include "stencil/coverage.hpp"
#include "stencil/located_loop.hpp"
#include "stencil/reduce.hpp"
#include "stencil/tilings.hpp"
#include "stencil/tuner.hpp"

namespace Atoll::stencil {

struct StreamedChain;

/// A chain that ran at least once.
class CachedChain {
 public:
  /// Copies the declarations of the loops.
  CachedChain(std::span<const Queued> queue, Chain chain, int threads);

  /// Its loops, with storage for their bodies.
  [[nodiscard]] std::span<Queued> queue() { return queue_; }
  [[nodiscard]] std::size_t loops() const { return queue_.size(); }
  /// True if the queued loops equal those of this chain.
  [[nodiscard]] bool is(std::span<const Queued> queue) const;
  /// The chain that followed last time, which is likely to follow again; null if there is none, or
  /// it was evicted.
  [[nodiscard]] CachedChain* next() const { return next_.lock().get(); }
  void set_next(CachedChain& next) { next_ = next.self_; }
  /// The plan to use now.
  [[nodiscard]] const Plan& plan() const { return plans_.at(tuner_->now()); }
  [[nodiscard]] const Chain& chain() const { return chain_; }
  /// Its loops, with the addresses of their fields.
  [[nodiscard]] std::span<const LocatedLoop> located() const { return located_.all(); }
  /// Numbers in the program of its fields.
  [[nodiscard]] const std::vector<int>& field_numbers() const { return field_numbers_; }
  /// Ways in which it was streamed, the last one first.
  [[nodiscard]] std::vector<std::shared_ptr<StreamedChain>>& streamed() { return streamed_; }
  /// For each loop with reductions, storage for its results; null for other loops.
  [[nodiscard]] std::vector<std::unique_ptr<LoopResults>>& results() { return results_; }
  /// For each loop, its row in the program's report; empty until the first report.
  [[nodiscard]] std::vector<int>& report_rows() { return report_; }
  /// Reports the run time of the current plan; the next run may try another plan.
  void ran(double seconds);
  /// Throws Error (input) if a loop reads a temporary field at points that neither the chain nor
  /// those before it have written. `written` has the points that those have written, by the number
  /// of the field in the program; adds the chain's.
  void check_temporaries(std::vector<Points>& written) const;
  /// True if the chain is a round of a queue, which may run it as soon as all its loops are queued.
  [[nodiscard]] bool is_round() const { return is_round_; }

 private:
  friend class PlanCache;
  Chain chain_;
  Arena kept_;  ///< declarations and storage for bodies
  std::vector<Queued> queue_;
  LocatedLoops located_;
  std::vector<std::unique_ptr<LoopResults>> results_;
  std::weak_ptr<CachedChain> self_, next_;
  std::uint64_t hash_ = 0;
  std::list<std::shared_ptr<CachedChain>>::iterator place_;  ///< position in PlanCache::chains_
  std::shared_ptr<Tuner> tuner_;
  std::map<std::size_t, Plan> plans_;  ///< by position of the tile size in the tuner
  double plan_seconds_ = 0;            ///< time to make one of them
  bool ran_before_ = false;
  bool is_round_ = false;
  std::vector<int> report_;
  FieldPoints temporaries_;
  std::vector<int> field_numbers_;
  std::vector<std::shared_ptr<StreamedChain>> streamed_;
};

/// The known chains of a program, with LRU eviction.
class PlanCache {
 public:
  /// Keeps chains of up to `most_loops` loops in total; a loop takes about 1 kB. `most_loops` is
  /// for tests.
  explicit PlanCache(std::size_t most_loops = 32768) : most_loops_(most_loops) {}

  /// Returns the known chain that equals the queue, and makes one with a plan if there is none. If
  /// no tile size is given, several are tried over time. `expected` is null or a chain that begins
  /// with the loops of the queue.
  CachedChain& find(std::span<const Queued> queue, CachedChain* expected,
                    const PlanOptions& options, const TileCaches& caches, bool is_round = false);
  /// The same, but the chain needs no plan.
  CachedChain& find_without_plan(std::span<const Queued> queue, CachedChain* expected,
                                 const PlanOptions& options, const TileCaches& caches,
                                 bool is_round);
  /// Tilings that plans share.
  [[nodiscard]] Tilings& tilings() { return tilings_; }
  /// Evicts the least recently used chains, except the last used one, until the total number of
  /// loops is within the limit. Evicted chains must not be in use.
  void evict_chains();
  [[nodiscard]] std::size_t chains() const { return chains_.size(); }
  [[nodiscard]] std::size_t tuners() const { return tuners_.size(); }
  [[nodiscard]] std::uint64_t plans() const { return plans_; }
  [[nodiscard]] double plan_seconds() const { return plan_seconds_; }
  /// Bytes of all plans.
  [[nodiscard]] std::uint64_t plan_bytes() const;

 private:
  [[nodiscard]] CachedChain* known(std::span<const Queued> queue, std::uint64_t hash) const;
  CachedChain& add(std::shared_ptr<CachedChain> chain, std::uint64_t hash);
  void make_plan_of(CachedChain& known, PlanOptions options);
  [[nodiscard]] std::shared_ptr<Tuner> tuner_for(std::span<const Queued> queue, const Chain& chain,
                                                 const PlanOptions& options,
                                                 const TileCaches& caches);

  std::size_t most_loops_;
  std::size_t loops_ = 0;                           ///< loops of all chains, plus 1 for each chain
  std::list<std::shared_ptr<CachedChain>> chains_;  ///< most recently used first
  std::unordered_multimap<std::uint64_t, CachedChain*> by_hash_;
  std::map<std::vector<std::uint64_t>, std::shared_ptr<Tuner>> tuners_;
  Tilings tilings_;
  std::uint64_t plans_ = 0;
  double plan_seconds_ = 0;
};

/// Returns the queue as input of planning.
[[nodiscard]] Chain chain_of(std::span<const Queued> queue);

}  // namespace Atoll::stencil
