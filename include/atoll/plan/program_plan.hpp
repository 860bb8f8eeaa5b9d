// A plan for a whole program, as a value and a file: which node each thread belongs on, how each
// object lies, and by what the running program's threads and objects are recognised. Written by
// `atoll advise`, edited by people, applied by `atoll run --plan`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/plan/layout.hpp"

namespace Atoll {

/// A level of a stack by which a place in a program is recognised: by build id and offset in the
/// same binary, else by function, file and line.
struct PlanFrame {
  std::string function, file;
  int line = 0;
  std::string module;    ///< the file's name, without folders
  std::string build_id;  ///< hexadecimal; "" if it has none
  std::uint64_t offset = 0;
  bool inlined = false;  ///< into the next level
  friend bool operator==(const PlanFrame&, const PlanFrame&) = default;
};

/// A thread, by who creates it where, and where it runs.
struct PlannedThread {
  std::string name;  ///< for people: "worker 3"
  std::optional<std::uint32_t>
      creator;                   ///< position in ProgramPlan::threads; nothing: the first thread
  std::vector<PlanFrame> stack;  ///< where it is created; empty for the first thread
  std::uint32_t order = 0;       ///< the n-th thread created there by that creator, from 0
  NodeId node;                   ///< where it belongs
  std::vector<int> pus;          ///< processing units it may use; empty: all of the node's
  std::vector<std::string> command;  ///< a process's first thread: what it executes, the name first
  friend bool operator==(const PlannedThread&, const PlannedThread&) = default;
};

/// Pages [the previous run's end, end_page) of an object, on `node`.
struct PageRun {
  std::uint64_t end_page = 0;
  NodeId node;
  friend bool operator==(const PageRun&, const PageRun&) = default;
};

/// An object, by where it is allocated, and how it lies.
struct PlannedObject {
  enum class Kind { heap, pool, global, stack, mapping };
  Kind kind = Kind::heap;
  std::string name;  ///< a global's; else for people
  std::vector<PlanFrame>
      stack;                ///< where it is allocated; a global: one level, build id and offset
  std::uint64_t bytes = 0;  ///< as it was
  std::uint32_t order = 0;  ///< the n-th of its place, from 0
  Layout layout;
  std::vector<PageRun> runs;  ///< not empty: instead of the layout's own runs
  std::string reason;         ///< a line
  friend bool operator==(const PlannedObject&, const PlannedObject&) = default;
};

/// What is expected of a run.
struct Prediction {
  double local_share = 0;    ///< of all accesses
  double busiest_share = 0;  ///< of all accesses, at the busiest memory
  double time = 1;           ///< that memory traffic takes; 1: as the program was profiled
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

/// What `atoll advise` says is to be done to a program.
struct ProgramPlan {
  std::string machine;               ///< its name
  std::vector<std::string> command;  ///< that was profiled
  std::vector<std::string> reasons;  ///< a line each
  bool bind_threads = false;         ///< whether `threads` are to be pinned
  std::vector<PlannedThread> threads;
  std::vector<PlannedObject> objects;
  std::optional<Layout> rest;  ///< of objects that aren't named; nothing: as the system does
  std::optional<Prediction> before, after;
  friend bool operator==(const ProgramPlan&, const ProgramPlan&) = default;
};

/// JSON, with "atoll_plan": 1; read back to an equal plan.
[[nodiscard]] std::string to_json(const ProgramPlan& plan);
/// Throws Error (input), naming `where` and the member.
[[nodiscard]] ProgramPlan plan_from_json(std::string_view text, std::string_view where);

}  // namespace Atoll
