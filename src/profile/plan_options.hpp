// Options for placing each object in a plan, for one placement of threads, with the traffic of each
// option. The search for a plan (profile/plan_search.hpp) chooses from these.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/plan/program_plan.hpp"
#include "profile/pages_by_node.hpp"
#include "profile/predicted_time.hpp"
#include "profile/small_pages.hpp"

namespace Atoll::profile {

/// Objects that a plan treats alike: those of one allocation site.
struct PlanUnit {
  std::vector<std::uint32_t> objects;
  double share = 0;  ///< of all accesses
};

/// Placement of one unit's objects.
struct PlanOption {
  enum class Kind {
    first_touch,  ///< not in the plan
    interleave,   ///< pages round robin over all nodes
    single,       ///< all pages on `node`
    locality,     ///< each page on the node that uses it most, in at most `most_runs` runs
    balance       ///< pages as by Mapping::balance, in at most `most_runs` runs
  };
  Kind kind = Kind::first_touch;
  std::uint32_t node = 0;  ///< position in Places::nodes
  std::size_t most_runs = 0;
  /// Uses 2 MiB pages wherever an object covers a whole one, as Linux does without a plan.
  bool huge = false;
  std::size_t runs = 0;      ///< number of runs of pages, summed over all objects
  TrafficMatrix traffic{0};  ///< of all pages of the unit
  PhasedTraffic timed;       ///< traffic that reaches memory, with the cost of 4 KiB pages
  /// True if the option requires threads to be bound to their assumed nodes.
  [[nodiscard]] bool binds() const { return kind != Kind::first_touch && kind != Kind::interleave; }
};

class PlanOptions {
 public:
  /// Keeps references to the recording, `units` and `places`. A page is attributed, as a whole, to
  /// that object of the units that accesses it most (the first of equals).
  PlanOptions(const recording::Recording& run, const Machine& machine,
              const std::vector<PlanUnit>& units, PagesByNode pages, MemoryTraffic memory,
              const Places& places);

  [[nodiscard]] const std::vector<PlanOption>& of(std::size_t unit) const { return options_[unit]; }
  /// Returns the traffic of pages that no plan can place.
  [[nodiscard]] const TrafficMatrix& fixed() const { return fixed_; }
  [[nodiscard]] const PhasedTraffic& timed_fixed() const { return timed_fixed_; }
  [[nodiscard]] const PagesByNode& pages() const { return pages_; }
  [[nodiscard]] const MemoryTraffic& memory() const { return memory_; }
  /// Returns an option's traffic, divided into the phases of `memory` instead of memory()'s.
  [[nodiscard]] PhasedTraffic timed(std::size_t unit, const PlanOption& option,
                                    const MemoryTraffic& memory) const;
  [[nodiscard]] PhasedTraffic timed_fixed(const MemoryTraffic& memory) const;
  /// Sets layout and runs of `planned` to those of the option.
  void place(PlannedObject& planned, std::uint32_t object, const PlanOption& option) const;

 private:
  void find_owners();
  void add_option(std::size_t unit, PlanOption option);
  [[nodiscard]] std::vector<std::uint64_t> counts_of_page(std::size_t row) const;
  /// Calls use(row of the page's owner, memory) for each page of the unit.
  template <class Use>
  void for_each_page(std::size_t unit, const PlanOption& option, Use&& use) const;
  /// Returns the first row of the row's page.
  [[nodiscard]] std::size_t page_begin(std::size_t row) const;
  void add_timed(PhasedTraffic& to, const PlanOption& option, std::size_t row, std::size_t memory,
                 const MemoryTraffic& from) const;

  const recording::Recording& run_;
  const std::vector<PlanUnit>& units_;
  const Places& places_;
  SmallPages small_pages_;
  PagesByNode pages_;
  MemoryTraffic memory_;
  std::vector<std::uint32_t> balanced_;         ///< by row: node of its page under Mapping::balance
  std::vector<std::vector<std::size_t>> rows_;  ///< by object, of the pages that it owns
  TrafficMatrix fixed_;
  std::vector<std::pair<std::size_t, std::size_t>> fixed_rows_;  ///< (page's first row, memory)
  PhasedTraffic timed_fixed_;
  std::vector<std::vector<PlanOption>> options_;
};

}  // namespace Atoll::profile
