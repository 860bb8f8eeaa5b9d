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

struct View {
  std::uint64_t magic;
  std::uint32_t pus, nodes;           ///< how many are shown
  std::uint64_t shown[kMaxPus / 64];  ///< bit i: processing unit i
  std::uint64_t shown_nodes[kMaxNodes / 64];
  std::uint32_t node_of_pu[kMaxPus];
  std::uint32_t first_pu;           ///< of the first place
  std::atomic<std::uint32_t> seen;  ///< processes that show it
  /// Where threads stand: tid << 32 | processing unit, from tid % kThreads on; 0: free.
  std::atomic<std::uint64_t> threads[kThreads];
};

}  // namespace Atoll::simulate::inside
