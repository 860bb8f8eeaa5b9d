// Data of libatoll-machine.so about the simulated machine: the file `view` in the folder of the
// machine's files. The simulator writes it, and the program's processes map it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace Atoll::simulate::inside {

/// Environment variable that holds the folder.
inline constexpr char kVariable[] = "ATOLL_MACHINE_VIEW";
inline constexpr std::uint64_t kMagic = 0x31776569766c7461;
inline constexpr std::size_t kMaxPus = 1024, kMaxNodes = 256, kThreads = 4096;

/// A memory policy, as passed to set_mempolicy().
struct NodePolicy {
  std::uint64_t mode;
  std::uint64_t nodes[kMaxNodes / 64];
};
/// A thread's affinity.
struct Affinity {
  std::uint64_t words[kMaxPus / 64];
};
struct ThreadState {
  Affinity affinity;
  NodePolicy policy;
};

/// Maximum number of pages in one query of a thread.
inline constexpr std::size_t kAnswers = 512;
/// Queries of a program to the simulator about a range, sent as records of its stream. The last
/// word of such a record is row | question << 32.
enum class Question : std::uint32_t {
  nodes,  ///< for each 4 KiB page: its node, or a negative error code as from move_pages()
  policy  ///< for the range's first byte: mode of its policy, number of nodes, the nodes
};
/// A thread. Its state survives exec, as in Linux.
struct ThreadRow {
  std::atomic<int> tid;   ///< 0: free
  std::uint64_t birth;    ///< start time in /proc: tells it from a later thread with the same ID
  std::uint64_t process;  ///< its pid
  std::atomic<std::uint64_t> handle;  ///< its pthread_t in its current program; 0: unknown
  ThreadState state;
  std::int16_t answers[kAnswers];
};

struct View {
  std::uint64_t magic;
  std::uint32_t pus, nodes;             ///< number that is shown
  std::uint64_t shown[kMaxPus / 64];    ///< bit i: processing unit i
  std::uint32_t allowed_pus;            ///< number of units in the program's initial affinity
  std::uint64_t allowed[kMaxPus / 64];  ///< the initial affinity
  std::uint64_t shown_nodes[kMaxNodes / 64];
  std::uint32_t node_of_pu[kMaxPus];
  std::uint32_t first_pu;           ///< of the first place
  std::uint32_t places_nothing;     ///< 1: no simulator runs or publishes the threads' units
  std::atomic<std::uint32_t> seen;  ///< number of processes that have mapped the view
  /// Processing units of threads: a hash table of tid << 32 | processing unit, probed from index
  /// tid % kThreads on; 0: free.
  std::atomic<std::uint64_t> threads[kThreads];
  ThreadRow rows[kThreads];  ///< hash table, probed from index tid % kThreads on
};

}  // namespace Atoll::simulate::inside
