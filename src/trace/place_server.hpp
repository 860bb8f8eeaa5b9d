// The table of a plan, and the answers to what placed programs ask: which planned thread or object
// a stack stands for.
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

#include "atoll/machine/machine.hpp"
#include "atoll/plan/program_plan.hpp"
#include "trace/place/table.hpp"
#include "trace/place_match.hpp"
#include "trace/place_table.hpp"
#include "trace/process_modules.hpp"
#include "trace/symbols.hpp"

namespace Atoll::trace {

/// Answers from its construction until it is stopped, in a thread of its own.
class PlaceServer {
 public:
  /// The plan must outlive the server; its threads and objects are those of the table. Throws Error
  /// (failed) if memory is short.
  PlaceServer(const ProgramPlan& plan, PlaceTable table);
  ~PlaceServer();
  PlaceServer(const PlaceServer&) = delete;
  PlaceServer& operator=(const PlaceServer&) = delete;

  /// Returns the path for $ATOLL_PLACEMENT. It is valid for processes of this user while this
  /// server lives.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] const place::Header& header() const { return *header_; }
  /// Returns what became of the plan's objects.
  [[nodiscard]] std::span<const place::Target> targets() const;

  /// Stops answering: whoever asks from now on finds nothing. What was found may be read then.
  void stop();

  /// How often each planned thread was recognised, by level.
  using Counts = std::array<std::uint64_t, place::kLevels>;
  [[nodiscard]] const std::vector<Counts>& thread_counts() const { return thread_counts_; }
  /// Returns how many new threads no planned one was found for.
  [[nodiscard]] std::uint64_t other_threads() const { return other_threads_; }

 private:
  /// What one program's process has asked so far.
  struct Process {
    std::uint32_t number = 0;  ///< in the order in which they began
    std::vector<LoadedModule> modules;
    std::vector<place::Answer> globals;
    /// The places, of the heap and of mappings, that its stacks were found to be.
    std::set<std::pair<bool, StackNumber>> given;
    std::set<std::uint32_t> threads;  ///< planned threads that were found
    std::map<std::uint32_t, std::uint32_t>
        further;  ///< threads beyond those of a place, by its first
  };

  void serve();
  void sweep();
  [[nodiscard]] place::Answer answer(const place::Slot& slot);
  [[nodiscard]] place::Answer started(pid_t pid);
  [[nodiscard]] std::optional<std::uint32_t> first_thread_of(
      const std::vector<std::string>& command);
  [[nodiscard]] place::Answer site(Process& process, bool mapped,
                                   const std::vector<Frame>& frames) const;
  [[nodiscard]] place::Answer thread(Process& process, std::uint32_t creator,
                                     const std::vector<Frame>& frames);
  [[nodiscard]] place::Answer found_thread(std::uint32_t thread, place::Level level);
  void find_globals(Process& process);
  [[nodiscard]] std::vector<Frame> frames_of(pid_t pid, Process& process, const place::Slot& slot);

  const ProgramPlan& plan_;
  const PlaceTable table_;
  int file_ = -1;
  place::Header* header_ = nullptr;

  Symbols symbols_;
  StackMatcher threads_;
  std::vector<StackNumber> stack_of_thread_;  ///< in threads_
  std::vector<std::uint32_t> stack_target_;   ///< of each planned thread; kNothing
  std::map<pid_t, Process> processes_;
  std::uint32_t processes_started_ = 0;
  std::set<std::uint32_t> processes_found_;  ///< by their planned first threads
  std::vector<Counts> thread_counts_;
  std::uint64_t other_threads_ = 0;

  std::atomic<bool> stop_ = false;
  std::thread server_;
};

}  // namespace Atoll::trace
