// What libatoll-machine.so knows of the machine that it shows: a file `view` in the folder of
// files, which the simulator writes and the program's processes map.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace Atoll::simulate::inside {

/// In the environment: the folder.
inline constexpr char kVariable[] = "ATOLL_MACHINE_VIEW";
inline constexpr std::uint64_t kMagic = 0x31776569766c7461;
inline constexpr std::size_t kMaxPus = 1024, kMaxNodes = 256, kThreads = 4096;

/// A memory policy, as set_mempolicy() takes it.
struct Policy {
  std::uint64_t mode;
  std::uint64_t nodes[kMaxNodes / 64];
};
/// A thread's affinity, as the program set it.
struct Affinity {
  std::uint64_t words[kMaxPus / 64];
};
struct ThreadState {
  Affinity affinity;
  Policy policy;
};

/// The most pages that a thread can ask about at a time.
inline constexpr std::size_t kAnswers = 512;
/// Questions of a program to the simulator about a range, in a record of its stream. The record's
/// last word is the thread's row + the question << 32.
enum class Question : std::uint32_t {
  nodes,  ///< of each 4 KiB page: its node, or an error as move_pages() has them, below 0
  policy  ///< of the range's first byte: the mode of its policy, the number of nodes, the nodes
};
/// A thread, whichever programs it executes one after the other: Linux keeps its state, too.
struct ThreadRow {
  std::atomic<int> tid;   ///< 0: free
  std::uint64_t birth;    ///< as /proc tells it: another thread may get the number later
  std::uint64_t process;  ///< its pid
  std::atomic<std::uint64_t> handle;  ///< its pthread_t in its present program; 0: not known yet
  ThreadState state;
  std::int16_t answers[kAnswers];
};

struct View {
  std::uint64_t magic;
  std::uint32_t pus, nodes;             ///< how many are shown
  std::uint64_t shown[kMaxPus / 64];    ///< bit i: processing unit i
  std::uint32_t allowed_pus;            ///< how many the program may use at its start
  std::uint64_t allowed[kMaxPus / 64];  ///< these: its affinity until it sets another one
  std::uint64_t shown_nodes[kMaxNodes / 64];
  std::uint32_t node_of_pu[kMaxPus];
  std::uint32_t first_pu;           ///< of the first place
  std::uint32_t places_nothing;     ///< 1: nobody simulates, or says where threads stand
  std::atomic<std::uint32_t> seen;  ///< processes that show it
  /// Where threads stand: tid << 32 | processing unit, from tid % kThreads on; 0: free.
  std::atomic<std::uint64_t> threads[kThreads];
  ThreadRow rows[kThreads];  ///< from tid % kThreads on
};

}  // namespace Atoll::simulate::inside
