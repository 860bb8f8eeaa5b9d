// A plan for a whole program, as a value and a file: the node of each thread, the layout of each
// object, and the description by which the running program's threads and objects are recognised.
// `atoll advise` writes it, users edit it, and `atoll run --plan` applies it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/plan/layout.hpp"

namespace Atoll {

/// A stack frame, for recognising a place in a program: by build id and offset in the same binary,
/// else by function, file and line.
struct PlanFrame {
  std::string function, file;
  int line = 0;
  std::string module;    ///< the file's name, without folders
  std::string build_id;  ///< hexadecimal; "" if it has none
  std::uint64_t offset = 0;
  bool inlined = false;  ///< into the next frame
  friend bool operator==(const PlanFrame&, const PlanFrame&) = default;
};

/// A thread: its creator, the place of its creation, and its node and processing units.
struct PlannedThread {
  std::string name;  ///< for users: "worker 3"
  std::optional<std::uint32_t>
      creator;                   ///< position in ProgramPlan::threads; not set: the first thread
  std::vector<PlanFrame> stack;  ///< of its creation; empty for the first thread
  std::uint32_t order = 0;       ///< number among the threads created there by that creator, from 0
  NodeId node;                   ///< the node to run on
  std::vector<int> pus;          ///< processing units it may use; empty: all of the node's
  std::vector<std::string>
      command;  ///< for a process's first thread: the executed command, the name first
  friend bool operator==(const PlannedThread&, const PlannedThread&) = default;
};

/// Pages [the previous run's end, end_page) of an object, on `node`.
struct PageRun {
  std::uint64_t end_page = 0;
  NodeId node;
  friend bool operator==(const PageRun&, const PageRun&) = default;
};

/// An object: the place of its allocation, and its layout.
struct PlannedObject {
  enum class Kind { heap, pool, global, stack, mapping };
  Kind kind = Kind::heap;
  std::string name;  ///< a global's name; for other kinds, only for users
  std::vector<PlanFrame>
      stack;                ///< of its allocation; for a global one frame with build id and offset
  std::uint64_t bytes = 0;  ///< its size when it was profiled
  std::uint32_t order = 0;  ///< number among the objects allocated there, from 0
  Layout layout;
  std::vector<PageRun> runs;  ///< if not empty, used instead of the layout's own runs
  std::string reason;         ///< one line
  friend bool operator==(const PlannedObject&, const PlannedObject&) = default;
};

/// Predicted figures of a run.
struct Prediction {
  double local_share = 0;    ///< fraction of all accesses that is local
  double busiest_share = 0;  ///< fraction of all accesses that the busiest memory serves
  double time = 1;           ///< time of memory traffic, as a multiple of the profiled run's
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

/// Proposal of `atoll advise` for a program.
struct ProgramPlan {
  std::string machine;               ///< the machine's name
  std::vector<std::string> command;  ///< the command that was profiled
  std::vector<std::string> reasons;  ///< one line each
  bool bind_threads = false;         ///< true if `threads` are to be pinned
  std::vector<PlannedThread> threads;
  std::vector<PlannedObject> objects;
  std::optional<Layout>
      rest;  ///< layout of objects that aren't named; not set: the system's choice
  std::optional<Prediction> before, after;
  friend bool operator==(const ProgramPlan&, const ProgramPlan&) = default;
};

/// Writes JSON with "atoll_plan": 1, which plan_from_json reads back to an equal plan.
[[nodiscard]] std::string to_json(const ProgramPlan& plan);
/// Throws Error (input), which names `where` and the member that is wrong.
[[nodiscard]] ProgramPlan plan_from_json(std::string_view text, std::string_view where);

}  // namespace Atoll
