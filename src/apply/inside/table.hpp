// The layout of the shared memory between `atoll run` and the programs that it applies a plan to.
// It has what the plan says, compact and without pointers; slots in which a program asks which
// planned thread or object a stack stands for, and `atoll`, who knows the symbols, answers; and
// what came of it all. `atoll` owns the memory and reads it after the programs have ended.
#pragma once

#include <atomic>
#include <cstdint>

namespace Atoll::apply::inside {

inline constexpr std::uint64_t kMagic = 0x31656361'6c706c61;  // "alplace1"
inline constexpr char kVariable[] = "ATOLL_PLACEMENT";  ///< in the environment: the table's path
inline constexpr std::uint32_t kNothing = ~std::uint32_t{0};
inline constexpr std::size_t kMaxLevels = 64;
inline constexpr std::size_t kMaxNodes = 1024;
inline constexpr std::size_t kSlots = 64;

/// How a thread or an object was recognised. `further`: it is beyond the plan's count for its
/// place, where all planned ones lie alike.
enum class Level : std::uint32_t { offset, line, size, further };
inline constexpr std::size_t kLevels = 4;

/// An offset in bytes from the table's start.
using Offset = std::uint64_t;

/// A set of processing units, as sched_setaffinity takes it.
struct Units {
  std::uint64_t words[1024 / 64];
};
/// Numbers of targets, groups and threads are below this.
inline constexpr std::uint32_t kMaxNumbers = (1 << 20) - 1;

/// A run of pages: the object's pages up to end * pages / Target::pages are on `node`.
struct Run {
  std::uint64_t end;
  std::uint32_t node;  ///< kNothing: as the system does
  std::uint32_t unused = 0;
};

/// How an object's pages are given to nodes.
enum class Rule : std::uint32_t {
  runs,        ///< each run on one node
  granules,    ///< granules in turn over the nodes
  interleave,  ///< pages in turn over the nodes, by the kernel
};

/// How one planned object is to lie, and what came of it.
struct Target {
  Offset list;  ///< runs: Run; else std::uint32_t nodes
  std::uint32_t count;
  Rule rule;
  std::uint64_t pages;          ///< runs: those that they were planned for; granules: of one
  std::uint64_t planned_pages;  ///< of the object, for Level::size; 0: not recognised by it
  std::uint32_t group;          ///< its place's; kNothing: of neither heap nor mappings
  std::uint32_t function;       ///< hash of the innermost function's name; 0: unknown
  std::uint32_t huge;           ///< 1: huge pages are wished, 0: small ones
  std::uint32_t mapping;        ///< 1: the program maps it itself
  std::atomic<std::uint64_t> matched[kLevels];
  std::atomic<std::uint64_t> bytes;     ///< bytes that were bound
  std::atomic<std::uint64_t> failures;  ///< calls that the system refused
  std::atomic<std::uint64_t>
      in_files;  ///< recognised, but pages of a file, which stay where they are
};

/// Where the large objects, or mappings, of one place are among the targets, in their order there:
/// `count` numbers, kNothing for those without a plan.
struct Group {
  Offset targets;
  std::uint32_t count;
  std::uint32_t further;  ///< the target of all that follow; kNothing: none
};

/// A processing unit that new threads take in turn, and who took it last: a process that executes
/// another program keeps its unit.
struct Unit {
  std::int32_t number = 0;
  std::atomic<std::int32_t> tid = 0;
};

enum class Question : std::uint32_t {
  started,  ///< a process: which thread its first one is
  global,   ///< a process: the place of its planned global number `index`
  site,     ///< which objects are allocated (index 0) or mapped (1) from this stack
  thread,   ///< which thread is created from this stack by the thread `index`
};

struct Answer {
  std::uint32_t found = kNothing;   ///< a thread, a group (site) or a target (global)
  std::uint32_t target = kNothing;  ///< site: of its small allocations; thread: of its stack
  Level level = Level::offset;
  std::uint32_t function = 0;  ///< site: hash of the innermost function's name; 0: unknown
  std::uint64_t address = 0, bytes = 0;  ///< global
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
  std::uint32_t large, pools, mappings;  ///< 1: the plan has large heap objects; pools; mappings
  Offset targets, groups;
  Offset threads;  ///< Units of each; none set: it isn't bound
  Offset units;    ///< Unit; if not 0 there is no plan, and each new thread takes the next of these
  Units allowed;   ///< the units that an unbound thread may use: those of `atoll` itself

  std::atomic<std::uint32_t> bell;       ///< a futex: counts questions
  std::atomic<std::uint32_t> processes;  ///< those that mapped this table
  std::atomic<std::uint32_t> next_unit;
  std::atomic<std::uint32_t> bindings_failed;
  std::atomic<std::uint64_t> affinity_calls;       ///< of the programs,
  std::atomic<std::uint64_t> affinity_overruled;   ///< for planned threads
  std::atomic<std::uint64_t> others, other_bytes;  ///< large allocations without a plan
  Slot slots[kSlots];
};

}  // namespace Atoll::apply::inside
