// Where a plan could put each object, for one placing of threads, and the traffic of each choice.
// The search for a plan (profile/plan_search.hpp) chooses from these.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/plan/program_plan.hpp"
#include "profile/pages_by_node.hpp"
#include "profile/predicted_time.hpp"
#include "profile/small_pages.hpp"

namespace Atoll::profile {

/// Objects that a plan treats alike: those that one place of the program makes.
struct PlanUnit {
  std::vector<std::uint32_t> objects;
  double share = 0;  ///< of all accesses
};

/// What a plan does to the objects of one unit.
struct PlanOption {
  enum class Kind {
    first_touch,  ///< not in the plan
    interleave,   ///< pages in turn on all nodes
    single,       ///< all on `node`
    locality,     ///< each page on the node that uses it most, in at most `most_runs` runs
    balance       ///< the same of the what-if mapping `balance`
  };
  Kind kind = Kind::first_touch;
  std::uint32_t node = 0;  ///< a position in Places::nodes
  std::size_t most_runs = 0;
  /// Pages of 2 MiB where an object has all of one, as the system gives them without a plan.
  bool huge = false;
  std::size_t runs = 0;      ///< that it has, over all objects
  TrafficMatrix traffic{0};  ///< of all the unit's pages
  PhasedTraffic timed;       ///< the same that reaches memory, with what small pages cost
  /// True if it is only right if threads are where they are taken to be.
  [[nodiscard]] bool binds() const { return kind != Kind::first_touch && kind != Kind::interleave; }
};

class PlanOptions {
 public:
  /// Keeps references to the recording, `units` and `places`. A page is taken to belong to the
  /// object of the units that accesses it most (the first of equals). It moves as a whole.
  PlanOptions(const trace::Recording& run, const Machine& machine,
              const std::vector<PlanUnit>& units, PagesByNode pages, MemoryTraffic memory,
              const Places& places);

  [[nodiscard]] const std::vector<PlanOption>& of(std::size_t unit) const { return options_[unit]; }
  /// Returns the traffic of pages that no plan can place.
  [[nodiscard]] const TrafficMatrix& fixed() const { return fixed_; }
  [[nodiscard]] const PhasedTraffic& timed_fixed() const { return timed_fixed_; }
  [[nodiscard]] const PagesByNode& pages() const { return pages_; }
  [[nodiscard]] const MemoryTraffic& memory() const { return memory_; }
  /// Returns the traffic of an option by other phases than memory()'s.
  [[nodiscard]] PhasedTraffic timed(std::size_t unit, const PlanOption& option,
                                    const MemoryTraffic& memory) const;
  [[nodiscard]] PhasedTraffic timed_fixed(const MemoryTraffic& memory) const;
  /// Sets layout and runs to those of the option.
  void place(PlannedObject& planned, std::uint32_t object, const PlanOption& option) const;

 private:
  void find_owners();
  void add_option(std::size_t unit, PlanOption option);
  [[nodiscard]] std::vector<std::uint64_t> counts_of_page(std::size_t row) const;
  /// Calls use(row of the page's owner, memory) for each page of the unit.
  template <class Use>
  void for_each_page(std::size_t unit, const PlanOption& option, Use&& use) const;
  /// Returns the first of the rows of the same page.
  [[nodiscard]] std::size_t page_begin(std::size_t row) const;
  void add_timed(PhasedTraffic& to, const PlanOption& option, std::size_t row, std::size_t memory,
                 const MemoryTraffic& from) const;

  const trace::Recording& run_;
  const std::vector<PlanUnit>& units_;
  const Places& places_;
  SmallPages small_pages_;
  PagesByNode pages_;
  MemoryTraffic memory_;
  std::vector<std::uint32_t> balanced_;         ///< by row: the node of its page
  std::vector<std::vector<std::size_t>> rows_;  ///< by object, of the pages that it owns
  TrafficMatrix fixed_;
  std::vector<std::pair<std::size_t, std::size_t>> fixed_rows_;  ///< first rows of pages; memories
  PhasedTraffic timed_fixed_;
  std::vector<std::vector<PlanOption>> options_;
};

}  // namespace Atoll::profile
