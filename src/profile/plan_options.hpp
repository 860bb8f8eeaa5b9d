// Where a plan could put each object, for one placing of threads, and the traffic of each choice.
// The search for a plan (profile/plan_search.hpp) chooses from these.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/plan/program_plan.hpp"
#include "profile/pages_by_node.hpp"
#include "profile/predicted_time.hpp"

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
  std::size_t runs = 0;      ///< that it has, over all objects
  TrafficMatrix traffic{0};  ///< of all the unit's pages
  /// True if it is only right if threads are where they are taken to be.
  [[nodiscard]] bool binds() const { return kind != Kind::first_touch && kind != Kind::interleave; }
};

class PlanOptions {
 public:
  /// Keeps references to the recording, `units` and `places`. A page is taken to belong to the
  /// object of the units that accesses it most (the first of equals). It moves as a whole.
  PlanOptions(const trace::Recording& run, const std::vector<PlanUnit>& units, PagesByNode pages,
              const Places& places);

  [[nodiscard]] const std::vector<PlanOption>& of(std::size_t unit) const { return options_[unit]; }
  /// Returns the traffic of pages that no plan can place.
  [[nodiscard]] const TrafficMatrix& fixed() const { return fixed_; }
  [[nodiscard]] const PagesByNode& pages() const { return pages_; }
  /// Sets layout and runs to those of the option.
  void place(PlannedObject& planned, std::uint32_t object, const PlanOption& option) const;

 private:
  void find_owners();
  void add_option(std::size_t unit, PlanOption option);
  [[nodiscard]] std::vector<std::uint64_t> counts_of_page(std::size_t row) const;

  const trace::Recording& run_;
  const std::vector<PlanUnit>& units_;
  const Places& places_;
  PagesByNode pages_;
  std::vector<std::uint32_t> balanced_;         ///< by row: the node of its page
  std::vector<std::vector<std::size_t>> rows_;  ///< by object, of the pages that it owns
  TrafficMatrix fixed_;
  std::vector<std::vector<PlanOption>> options_;
};

}  // namespace Atoll::profile
