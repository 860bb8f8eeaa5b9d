// What time a program would take on a machine that isn't here, and why: its accesses, as a trace
// has them, run through a model of the machine's cores, caches, TLBs, controllers and wires.
// docs/simulate.md says what is modelled, and what isn't.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/program_plan.hpp"

namespace Atoll::simulate {

/// Where threads and pages go that nothing else places.
enum class Policy {
  os,          ///< threads spread over nodes, pages by first touch
  compact,     ///< threads on neighbouring cores, pages by first touch
  interleave,  ///< threads spread, pages in turn over all memories that have processing units
};

/// How an object lies.
enum class LayoutKind { first_touch, single, distributed, partitioned, replicated };

/// What is simulated, and how.
struct Options {
  /// For a trace: its number of threads at a time, or 0. For a command: the number of processing
  /// units that it may use at its start, over which threads are spread from the start; 0: all.
  int threads = 0;
  LayoutKind layout = LayoutKind::first_touch;  ///< of all objects but stacks
  /// Of single objects, by the name or file:line that reports give them; these win.
  std::vector<std::pair<std::string, LayoutKind>> layout_of;
  /// Nothing: 2 MiB where an object has all of such a page, as the system gives them by itself.
  std::optional<PageSize> pages;
  Policy policy = Policy::os;
  std::optional<ProgramPlan> plan;  ///< wins over layouts and policy
  bool only_between_marks = false;  ///< time counts between the program's marks
  std::uint64_t iterations = 0;     ///< time counts in the first ones of the marked loop; 0: in all
  bool interval = true;             ///< tell between what the time lies; it costs as much again
};

/// One part of the stack that all threads' time is divided among.
struct StackPart {
  std::string name;
  double share = 0;  ///< of all threads' time, from each one's begin to its end
};

/// What a memory's controller carried, or the cache in front of the memory.
struct SimulatedController {
  NodeId node;
  std::uint64_t bytes = 0;
  double load = 0;  ///< the share of the time in which it was busy
};

/// What a wire carried in one direction.
struct SimulatedLink {
  std::string from, to;  ///< a node's number, or a router's name
  std::uint64_t bytes = 0;
  double load = 0;
};

/// What the accesses to an object met, and what they cost.
struct SimulatedObject {
  std::string name;   ///< as reports name it
  std::string where;  ///< file:line; "" if unknown
  std::uint64_t bytes = 0, accesses = 0;
  double share_of_time = 0;  ///< of all threads' time: waiting for its data
  std::uint64_t l1_misses = 0, l2_misses = 0, l3_misses = 0, tlb_misses = 0;
  std::uint64_t memory_side_misses = 0;  ///< of caches in front of memories
  /// Pages of files that were in the page cache already: they are put in turn on all nodes.
  std::uint64_t pages_of_unknown_node = 0;
};

/// C-AMAT of a level [gpgpu-camat §2.2], as its threads see it, over all of them; times in ns.
struct SimulatedLevel {
  std::string name;  ///< "l1", "l2", "l3", "memory_side"
  double camat = 0, hit_time = 0, hit_concurrency = 0, miss_concurrency = 0;
  double pure_miss_ratio = 0, pure_miss_penalty = 0;
};

/// How much the time moves if one figure of the machine does.
struct Sensitivity {
  std::string figure;
  double low = 0, high = 0;  ///< the time by the nominal one, with the figure at its ends
};

/// The interval in which the time lies, in seconds.
struct Interval {
  double from = 0, to = 0;
};

/// What came out: times in seconds, of the timed part alone.
struct Result {
  std::string machine;
  int threads = 0;
  std::vector<NodeId> nodes_of_threads;  ///< by number among those that live at a time
  double seconds = 0;
  std::optional<Interval> interval;        ///< not computed: empty
  std::vector<Sensitivity> sensitivities;  ///< what moves the time most first; no interval: empty
  std::uint64_t accesses = 0;
  std::vector<NodeId> nodes, memories;  ///< of rows and columns of `traffic`
  std::vector<std::vector<std::uint64_t>>
      traffic;  ///< bytes that a node got from, or gave to, each
  std::vector<SimulatedController> controllers;
  std::vector<SimulatedController> memory_side_caches;  ///< of memories that have one in front
  std::vector<SimulatedLink> links;
  std::vector<StackPart> stack;
  std::vector<SimulatedObject> objects;  ///< those that were accessed, most time first
  std::vector<SimulatedLevel> camat;
  std::uint64_t pages_4k = 0, pages_2m = 0, pages_1g = 0;  ///< that were touched
  std::vector<std::string> assumed;  ///< what wasn't known, and what was taken instead
};

/// Runs a trace (`atoll trace -o FILE`) on the machine. The same trace and options give the same
/// result on any computer. Throws Error (input) if the file is damaged, or an option contradicts
/// it: more threads than the machine has, a layout for an object that isn't there, a replicated
/// object that is written while time counts.
[[nodiscard]] Result simulate_trace(const std::string& path, const Machine& machine,
                                    const Options& options);

/// One JSON object, "atoll_simulate": 1 (docs/simulate.md).
[[nodiscard]] std::string to_json(const Result& result);

}  // namespace Atoll::simulate
