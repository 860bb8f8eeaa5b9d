// Serves a plan's table to the programs that the plan is applied to, and answers their queries:
// which planned thread or object a call stack belongs to.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "apply/inside/table.hpp"
#include "apply/plan_table.hpp"
#include "atoll/machine/machine.hpp"
#include "atoll/plan/program_plan.hpp"
#include "process/process_modules.hpp"
#include "process/stack_matcher.hpp"
#include "process/symbols.hpp"

namespace Atoll::apply {

/// Answers queries in its own thread, from construction to stop().
class PlanServer {
 public:
  /// The plan must outlive the server, and the table must be made from it. Throws Error (failed) if
  /// memory is short.
  PlanServer(const ProgramPlan& plan, PlanTable table);
  ~PlanServer();
  PlanServer(const PlanServer&) = delete;
  PlanServer& operator=(const PlanServer&) = delete;

  /// Returns the path for $ATOLL_PLACEMENT, which processes of this user can open while this server
  /// exists.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] const inside::Header& header() const { return *header_; }
  /// Returns the plan's targets with their results.
  [[nodiscard]] std::span<const inside::Target> targets() const;

  /// Stops the server; later queries get empty answers. The results are complete afterwards.
  void stop();

  /// Number of matches of a planned thread, by level.
  using Counts = std::array<std::uint64_t, inside::kLevels>;
  [[nodiscard]] const std::vector<Counts>& thread_counts() const { return thread_counts_; }
  /// Returns the number of new threads without a planned thread.
  [[nodiscard]] std::uint64_t other_threads() const { return other_threads_; }

 private:
  /// State of one process of the program.
  struct Process {
    std::uint32_t number = 0;  ///< in the order of process starts
    std::vector<process::LoadedModule> modules;
    std::vector<inside::Answer> globals;
    /// planned call sites that matched so far; the flag is true for mappings
    std::set<std::pair<bool, process::StackNumber>> given;
    std::set<std::uint32_t> threads;  ///< planned threads that matched
    std::map<std::uint32_t, std::uint32_t>
        further;  ///< number of threads beyond a call site's plan, by its first planned thread
  };

  void serve();
  void sweep();
  [[nodiscard]] inside::Answer answer(const inside::Slot& slot);
  [[nodiscard]] inside::Answer started(pid_t pid);
  [[nodiscard]] std::optional<std::uint32_t> first_thread_of(
      const std::vector<std::string>& command);
  [[nodiscard]] inside::Answer site(Process& process, bool mapped,
                                    const std::vector<process::Frame>& frames) const;
  [[nodiscard]] inside::Answer thread(Process& process, std::uint32_t creator,
                                      const std::vector<process::Frame>& frames);
  [[nodiscard]] inside::Answer found_thread(std::uint32_t thread, inside::Level level);
  void find_globals(Process& process);
  [[nodiscard]] std::vector<process::Frame> frames_of(pid_t pid, Process& process,
                                                      const inside::Slot& slot);

  const ProgramPlan& plan_;
  const PlanTable table_;
  int file_ = -1;
  inside::Header* header_ = nullptr;

  process::Symbols symbols_;
  process::StackMatcher threads_;
  std::vector<process::StackNumber> stack_of_thread_;  ///< index in threads_, by planned thread
  std::vector<std::uint32_t> stack_target_;            ///< by planned thread; kNothing for none
  std::map<pid_t, Process> processes_;
  std::uint32_t processes_started_ = 0;
  std::set<std::uint32_t> processes_found_;  ///< planned first threads of processes that matched
  std::vector<Counts> thread_counts_;
  std::uint64_t other_threads_ = 0;

  std::atomic<bool> stop_ = false;
  std::thread server_;
};

}  // namespace Atoll::apply
