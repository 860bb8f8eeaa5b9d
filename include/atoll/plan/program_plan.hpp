// A plan for a whole program, as a value and a file: the node that each thread belongs on, the
// layout of each object, and how the running program's threads and objects are recognised. `atoll
// advise` writes it, people edit it, and `atoll run --plan` applies it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/plan/layout.hpp"

namespace Atoll {

/// A frame of a stack by which a place in a program is recognised: by build id and offset in the
/// same binary, else by function, file and line.
struct PlanFrame {
  std::string function, file;
  int line = 0;
  std::string module;    ///< the file's name, without folders
  std::string build_id;  ///< hexadecimal; "" if it has none
  std::uint64_t offset = 0;
  bool inlined = false;  ///< into the next frame
  friend bool operator==(const PlanFrame&, const PlanFrame&) = default;
};

/// A thread: who creates it, where it is created, and where it runs.
struct PlannedThread {
  std::string name;  ///< for people: "worker 3"
  std::optional<std::uint32_t>
      creator;                   ///< position in ProgramPlan::threads; not set: the first thread
  std::vector<PlanFrame> stack;  ///< where it is created; empty for the first thread
  std::uint32_t order = 0;       ///< the n-th thread created there by that creator, from 0
  NodeId node;                   ///< the node it belongs on
  std::vector<int> pus;          ///< processing units it may use; empty: all of the node's
  std::vector<std::string>
      command;  ///< for a process's first thread: what it executes, the name first
  friend bool operator==(const PlannedThread&, const PlannedThread&) = default;
};

/// Pages [the previous run's end, end_page) of an object, on `node`.
struct PageRun {
  std::uint64_t end_page = 0;
  NodeId node;
  friend bool operator==(const PageRun&, const PageRun&) = default;
};

/// An object: where it is allocated, and how it lies.
struct PlannedObject {
  enum class Kind { heap, pool, global, stack, mapping };
  Kind kind = Kind::heap;
  std::string name;  ///< a global's name; else only for people
  std::vector<PlanFrame>
      stack;  ///< where it is allocated; for a global one frame with build id and offset
  std::uint64_t bytes = 0;  ///< its size when it was profiled
  std::uint32_t order = 0;  ///< the n-th object allocated there, from 0
  Layout layout;
  std::vector<PageRun> runs;  ///< if not empty, used instead of the layout's own runs
  std::string reason;         ///< one line
  friend bool operator==(const PlannedObject&, const PlannedObject&) = default;
};

/// What to expect of a run.
struct Prediction {
  double local_share = 0;    ///< of all accesses, the share that is local
  double busiest_share = 0;  ///< of all accesses, the share at the busiest memory
  double time = 1;           ///< time of memory traffic, as a multiple of that of the profiled run
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

/// What `atoll advise` proposes for a program.
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
/// Throws Error (input), naming `where` and the member that is wrong.
[[nodiscard]] ProgramPlan plan_from_json(std::string_view text, std::string_view where);

}  // namespace Atoll
