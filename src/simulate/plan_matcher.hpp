// Matches a simulated program's threads and objects with a plan's, by the stack that creates or
// allocates them, and returns their placement. `atoll run --plan` matches them in the same way.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "atoll/plan/program_plan.hpp"
#include "atoll/recording/recording.hpp"
#include "plan/page_map.hpp"
#include "process/stack_matcher.hpp"

namespace Atoll::simulate {

using detail::PageMap;

class PlanMatcher {
 public:
  static constexpr std::uint32_t kNone = recording::kNone;
  using Frames = std::function<std::vector<process::Frame>()>;

  /// The plan must outlive this.
  PlanMatcher(const ProgramPlan& plan, const Machine& machine);

  /// Returns the plan's pages for the next object that a process allocates at a site, which is the
  /// process's number of the stack. Null if the plan doesn't contain it.
  [[nodiscard]] const PageMap* allocated(std::uint64_t process, std::uint32_t site,
                                         recording::ObjectKind kind, const Frames& frames);
  /// The same for a variable: its module's build ID, its offset there, its name.
  [[nodiscard]] const PageMap* global(const std::string& build_id, std::uint64_t offset,
                                      const std::string& name);
  /// The same for the stack of a planned thread; kNone: another thread.
  [[nodiscard]] const PageMap* stack_of(std::uint32_t thread);
  /// Placement of memory that the plan doesn't name; null: the system's default.
  [[nodiscard]] const PageMap* rest() const { return rest_ ? &*rest_ : nullptr; }

  /// Planned thread that is the first one of a process (processes count from 0); kNone if none.
  [[nodiscard]] std::uint32_t first_thread(std::uint64_t process);
  /// Planned thread that a planned thread creates in this process with this stack; kNone if none.
  [[nodiscard]] std::uint32_t created(std::uint64_t process, std::uint32_t creator,
                                      const std::vector<process::Frame>& frames);
  /// True if the plan pins threads. Then allows() returns whether a thread may use a unit.
  [[nodiscard]] bool pins() const { return plan_->bind_threads; }
  [[nodiscard]] bool allows(std::uint32_t thread, int pu) const {
    return allowed_[thread].contains(pu);
  }
  /// True if the plan pins any thread to that unit.
  [[nodiscard]] bool wants(int pu) const;

  /// Messages about nodes, objects and threads of the plan that the machine or the program lacks.
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  using Kind = PlannedObject::Kind;
  [[nodiscard]] std::optional<process::StackNumber> place_of(std::uint64_t process,
                                                             std::uint32_t site, Kind kind,
                                                             const Frames& frames);
  const PageMap* found(std::size_t object);

  struct Place {
    std::map<std::uint32_t, std::size_t> objects;  ///< by their order
    bool alike = false;                            ///< further objects are placed as the first one
  };
  struct Places {
    process::StackMatcher stacks;
    std::map<process::StackNumber, Place> of;
  };

  const ProgramPlan* plan_;
  std::map<Kind, Places> places_;
  process::StackMatcher threads_;
  std::vector<process::StackNumber> stack_of_thread_;
  std::vector<std::set<int>> allowed_;  ///< by planned thread: processing units
  std::vector<PageMap> pages_;          ///< by planned object
  std::optional<PageMap> rest_;
  std::map<std::tuple<std::uint64_t, std::uint32_t, Kind>, std::optional<process::StackNumber>>
      known_;
  std::set<std::tuple<std::uint64_t, Kind, process::StackNumber>> given_;
  std::map<std::tuple<std::uint64_t, Kind, process::StackNumber>, std::uint32_t> allocated_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> threads_found_;  ///< process, planned thread
  /// Number of threads created beyond the plan's count, by process and first planned thread of the
  /// place.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::size_t> further_;
  std::set<std::size_t> objects_found_;
  std::set<std::uint32_t> nodes_missing_;
};

}  // namespace Atoll::simulate
