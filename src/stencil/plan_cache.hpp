// Chains that came before, with their plans: a chain is recognised by what was queued.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {

struct Queued;

/// A chain that came at least once. If no tile size was given, some are tried, one after the other,
/// and the fastest stays.
class KnownChain {
 public:
  /// The plan to run now.
  [[nodiscard]] const Plan& plan() const { return candidates_[now_].plan; }
  [[nodiscard]] const Chain& chain() const { return chain_; }
  /// Tells how long the plan took. May make the next plan to try.
  void ran(double seconds);

 private:
  friend class PlanCache;
  struct Candidate {
    Plan plan;
    double seconds = 0;  ///< the least so far
    int runs = 0;
  };
  Chain chain_;
  std::vector<std::uint64_t> signature_;
  PlanOptions options_;
  std::vector<TileSize> untried_;  ///< the next one last
  std::vector<Candidate> candidates_;
  std::size_t now_ = 0;
  bool settled_ = false;
  double plan_seconds_ = 0;
  std::vector<int> report_;  ///< for each loop, its row in the program's report

 public:
  [[nodiscard]] std::vector<int>& report_rows() { return report_; }
};

/// All known chains of a program.
class PlanCache {
 public:
  /// The known chain that is like the queue; it is planned if there is none.
  KnownChain& find(const std::vector<Queued>& queue, const PlanOptions& options,
                   const CacheFigures& caches);
  [[nodiscard]] std::uint64_t plans() const { return plans_; }
  [[nodiscard]] double plan_seconds() const { return plan_seconds_; }

 private:
  std::vector<std::uint64_t> signature_;
  std::unordered_multimap<std::uint64_t, std::unique_ptr<KnownChain>> known_;
  std::uint64_t plans_ = 0;
  double plan_seconds_ = 0;
};

/// The queue as planning sees it.
[[nodiscard]] Chain chain_of(const std::vector<Queued>& queue);

}  // namespace Atoll::stencil
