// Layout of the shared memory between `atoll run` and the programs that it applies a plan to. It
// contains the plan in compact form without pointers, slots for queries, and results. In a query, a
// program sends a call stack and `atoll`, which has the symbols, answers with the planned thread or
// object. `atoll` owns the memory, and reads the results after the programs have ended.
#pragma once

#include <atomic>
#include <cstdint>

namespace Atoll::apply::inside {

inline constexpr std::uint64_t kMagic = 0x31656361'6c706c61;  // "alplace1"
inline constexpr char kVariable[] = "ATOLL_PLACEMENT";  ///< environment variable: the table's path
inline constexpr std::uint32_t kNothing = ~std::uint32_t{0};
inline constexpr std::size_t kMaxLevels = 64;
inline constexpr std::size_t kMaxNodes = 1024;
inline constexpr std::size_t kSlots = 64;

/// Criterion by which a thread or an object was matched. `further`: it exceeds the planned number
/// for its call site, where all planned ones have the same placement.
enum class Level : std::uint32_t { offset, line, size, further };
inline constexpr std::size_t kLevels = 4;

/// An offset in bytes from the table's start.
using Offset = std::uint64_t;

/// A set of processing units in the format of sched_setaffinity.
struct Units {
  std::uint64_t words[1024 / 64];
};
/// Exclusive bound of the numbers of targets, groups and threads.
inline constexpr std::uint32_t kMaxNumbers = (1 << 20) - 1;

/// A run of pages, up to page end * pages / Target::pages of the object, on `node`. `pages` is the
/// object's actual number of pages.
struct Run {
  std::uint64_t end;
  std::uint32_t node;  ///< kNothing means the system's default
  std::uint32_t unused = 0;
};

/// Distribution of an object's pages.
enum class Rule : std::uint32_t {
  runs,        ///< each run on one node
  granules,    ///< granules round-robin over the nodes
  interleave,  ///< pages round-robin over the nodes, by the kernel
};

/// Placement of one planned object, and the results.
struct Target {
  Offset list;  ///< array of Run for `runs`, else of node numbers (std::uint32_t)
  std::uint32_t count;
  Rule rule;
  std::uint64_t pages;          ///< runs: planned size of the object; granules: size of a granule
  std::uint64_t planned_pages;  ///< planned size, for Level::size; 0 disables matching by size
  std::uint32_t group;          ///< group of its call site; kNothing if not heap or mapping
  std::uint32_t function;       ///< hash of the innermost function's name; 0 means unknown
  std::uint32_t huge;           ///< 1: use huge pages; 0: use small pages
  std::uint32_t mapping;        ///< 1 if the program maps it itself
  std::atomic<std::uint64_t> matched[kLevels];
  std::atomic<std::uint64_t> bytes;     ///< number of bound bytes
  std::atomic<std::uint64_t> failures;  ///< number of failed system calls
  std::atomic<std::uint64_t>
      in_files;  ///< matched, but not bound because the pages belong to a file
};

/// The targets of a call site's large objects, or mappings, in the order of allocation: `count`
/// numbers, kNothing for objects without a plan.
struct Group {
  Offset targets;
  std::uint32_t count;
  std::uint32_t further;  ///< target of all later objects; kNothing for none
};

/// A processing unit for new threads, which take units round-robin, and the last thread that took
/// it. A process keeps its unit over exec.
struct Unit {
  std::int32_t number = 0;
  std::atomic<std::int32_t> tid = 0;
};

enum class Question : std::uint32_t {
  started,  ///< number of a process's first thread
  global,   ///< the address of a process's planned global with number `index`
  site,     ///< objects that are allocated (index 0) or mapped (1) from this stack
  thread,   ///< thread that the thread `index` creates from this stack
};

struct Answer {
  std::uint32_t found = kNothing;   ///< a thread, a group (site) or a target (global)
  std::uint32_t target = kNothing;  ///< of the site's small allocations, or of the stack
  Level level = Level::offset;
  std::uint32_t function = 0;  ///< site: hash of the innermost function's name; 0 means unknown
  std::uint64_t address = 0, bytes = 0;  ///< for a global
};

enum class SlotState : std::uint32_t { free, filled_in, asked, answered };

struct Slot {
  std::atomic<SlotState> state;  ///< a futex
  std::int32_t pid;
  Question question;
  std::uint32_t index;
  std::uint32_t levels;
  std::uint32_t unused;
  std::uint64_t stack[kMaxLevels];  ///< return addresses, innermost first
  Answer answer;
};

struct Header {
  std::uint64_t magic;
  std::uint64_t bytes;
  std::int32_t atoll_pid;
  std::uint32_t target_count, group_count, thread_count, unit_count;
  std::uint32_t large, pools, mappings;  ///< 1 if the plan has any of these
  Offset targets, groups;
  Offset threads;  ///< Units of each thread; an empty set means not bound
  Offset units;    ///< array of Unit; if not 0, there is no plan, and new threads take these units
  Units allowed;   ///< units of unbound threads: those of `atoll` itself

  std::atomic<std::uint32_t> query_count;  ///< a futex that counts queries
  std::atomic<std::uint32_t> processes;    ///< number of processes that mapped this table
  std::atomic<std::uint32_t> next_unit;
  std::atomic<std::uint32_t> bindings_failed;
  std::atomic<std::uint64_t> affinity_calls;       ///< number of the programs' calls
  std::atomic<std::uint64_t> affinity_overruled;   ///< those that changed a planned binding
  std::atomic<std::uint64_t> others, other_bytes;  ///< large allocations without a plan
  Slot slots[kSlots];
};

}  // namespace Atoll::apply::inside
