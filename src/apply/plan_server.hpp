// The table of a plan, and the answers to what programs ask to which it is applied: which planned
// thread or object a stack stands for.
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

/// Answers from its construction until it is stopped, in a thread of its own.
class PlanServer {
 public:
  /// The plan must outlive the server; its threads and objects are those of the table. Throws Error
  /// (failed) if memory is short.
  PlanServer(const ProgramPlan& plan, PlanTable table);
  ~PlanServer();
  PlanServer(const PlanServer&) = delete;
  PlanServer& operator=(const PlanServer&) = delete;

  /// Returns the path for $ATOLL_PLACEMENT. It is valid for processes of this user while this
  /// server lives.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] const inside::Header& header() const { return *header_; }
  /// Returns what became of the plan's objects.
  [[nodiscard]] std::span<const inside::Target> targets() const;

  /// Stops answering: whoever asks from now on finds nothing. What was found may be read then.
  void stop();

  /// How often each planned thread was recognised, by level.
  using Counts = std::array<std::uint64_t, inside::kLevels>;
  [[nodiscard]] const std::vector<Counts>& thread_counts() const { return thread_counts_; }
  /// Returns how many new threads no planned one was found for.
  [[nodiscard]] std::uint64_t other_threads() const { return other_threads_; }

 private:
  /// What one program's process has asked so far.
  struct Process {
    std::uint32_t number = 0;  ///< in the order in which they began
    std::vector<process::LoadedModule> modules;
    std::vector<inside::Answer> globals;
    /// The places, of the heap and of mappings, that its stacks were found to be.
    std::set<std::pair<bool, process::StackNumber>> given;
    std::set<std::uint32_t> threads;  ///< planned threads that were found
    std::map<std::uint32_t, std::uint32_t>
        further;  ///< threads beyond those of a place, by its first
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
  std::vector<process::StackNumber> stack_of_thread_;  ///< in threads_
  std::vector<std::uint32_t> stack_target_;            ///< of each planned thread; kNothing
  std::map<pid_t, Process> processes_;
  std::uint32_t processes_started_ = 0;
  std::set<std::uint32_t> processes_found_;  ///< by their planned first threads
  std::vector<Counts> thread_counts_;
  std::uint64_t other_threads_ = 0;

  std::atomic<bool> stop_ = false;
  std::thread server_;
};

}  // namespace Atoll::apply
