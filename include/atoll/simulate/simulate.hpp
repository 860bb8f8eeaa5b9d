// Estimates the time that a program would take on a target machine, and the reasons for that time.
// The accesses of a trace run through a model of the machine's cores, caches, TLBs, memory
// controllers and links. docs/simulate.md lists what is modelled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/program_plan.hpp"

namespace Atoll::simulate {

/// Placement of threads and pages that no layout, plan or call of the program places.
enum class PlacementPolicy {
  os,          ///< threads spread over nodes, pages by first touch
  compact,     ///< threads on neighbouring cores, pages by first touch
  interleave,  ///< as `os`, but pages are interleaved over all memories that have processing units
};

/// Placement of an object's pages.
enum class ObjectLayout { first_touch, single, distributed, partitioned, replicated };

/// Options of a simulation.
struct Options {
  /// For a trace: the number of threads that live at a time; 0 accepts any number. For a command:
  /// the number of processing units in its initial affinity, over which its threads are spread; 0
  /// means all.
  int threads = 0;
  ObjectLayout layout = ObjectLayout::first_touch;  ///< of all objects except stacks
  /// Layouts of single objects, by name or file:line as in reports. They override `layout`.
  std::vector<std::pair<std::string, ObjectLayout>> layout_of;
  /// If empty, uses 2 MiB pages wherever an object covers a whole 2 MiB page and 4 KiB pages
  /// elsewhere, as Linux does.
  std::optional<PageSize> pages;
  PlacementPolicy policy = PlacementPolicy::os;
  std::optional<ProgramPlan> plan;  ///< overrides layouts and `policy`
  bool only_between_marks = false;  ///< count only the time between the program's marks
  std::uint64_t iterations = 0;     ///< count only the first ones of the marked loop; 0: all
  bool interval = true;             ///< compute the interval of the time; doubles the cost
};

/// One category of the time of all threads.
struct StackPart {
  std::string name;
  /// Share of all threads' time, from the start to the end of each thread; 0 to 1.
  double share = 0;
};

/// Traffic of a memory's controller, or of the cache in front of a memory.
struct SimulatedController {
  NodeId node;
  std::uint64_t bytes = 0;
  double load = 0;  ///< share of the time in which it was busy; 0 to 1
};

/// Traffic of one direction of a link.
struct SimulatedLink {
  std::string from, to;  ///< a node's number, or a router's name
  std::uint64_t bytes = 0;
  double load = 0;
};

/// Misses and stall time of the accesses to one object.
struct SimulatedObject {
  std::string name;   ///< as in reports
  std::string where;  ///< file:line; "" if unknown
  std::uint64_t bytes = 0, accesses = 0;
  double share_of_time = 0;  ///< share of all threads' time, 0 to 1: waiting for its data
  std::uint64_t l1_misses = 0, l2_misses = 0, l3_misses = 0, tlb_misses = 0;
  std::uint64_t memory_side_misses = 0;  ///< in the caches in front of memories
  /// Pages of files that were in the page cache before the program mapped them. They are
  /// interleaved over all nodes.
  std::uint64_t pages_of_unknown_node = 0;
};

/// C-AMAT of one cache level [gpgpu-camat §2.2], over all caches of that level; times in ns.
struct SimulatedLevel {
  std::string name;  ///< "l1", "l2", "l3", "memory_side"
  double camat = 0, hit_time = 0, hit_concurrency = 0, miss_concurrency = 0;
  double pure_miss_ratio = 0, pure_miss_penalty = 0;
};

/// Change of the time if one figure of the machine changes.
struct Sensitivity {
  std::string figure;
  /// Time with the figure at the ends of its range, relative to the nominal time.
  double low = 0, high = 0;
};

/// Range of the simulated time that follows from the ranges of the machine's figures, in seconds.
struct Interval {
  double from = 0, to = 0;
};

/// Result of a simulation. Times are in seconds and cover the timed part only.
struct Result {
  std::string machine;
  int threads = 0;
  /// By thread, numbered among those that live at a time.
  std::vector<NodeId> nodes_of_threads;
  double seconds = 0;
  std::optional<Interval> interval;        ///< empty if not computed
  std::vector<Sensitivity> sensitivities;  ///< greatest change first; empty without an interval
  std::uint64_t accesses = 0;
  std::vector<NodeId> nodes, memories;  ///< labels of the rows and columns of `traffic`
  std::vector<std::vector<std::uint64_t>>
      traffic;  ///< bytes transferred between each node (row) and each memory (column)
  std::vector<SimulatedController> controllers;
  std::vector<SimulatedController> memory_side_caches;  ///< only memories that have such a cache
  std::vector<SimulatedLink> links;
  std::vector<StackPart> stack;
  std::vector<SimulatedObject> objects;  ///< accessed ones only; greatest share of time first
  std::vector<SimulatedLevel> camat;
  std::uint64_t pages_4k = 0, pages_2m = 0, pages_1g = 0;  ///< touched pages of each size
  std::vector<std::string> assumed;  ///< assumptions made for missing information
};

/// Simulates a trace (`atoll trace -o FILE`) on the machine. The same trace and options give the
/// same result on any computer. Throws Error (input) if the file is damaged or if an option
/// contradicts the trace: more threads than the machine has processing units, a layout for an
/// unknown object, or a replicated object that is written in the timed part.
[[nodiscard]] Result simulate_trace(const std::string& path, const Machine& machine,
                                    const Options& options);

/// Returns a JSON object with "atoll_simulate": 1 (docs/simulate.md).
[[nodiscard]] std::string to_json(const Result& result);

}  // namespace Atoll::simulate
