// Chases and passes over a placed block, on the pinned threads of a team.
#pragma once

#include "atoll/memory/block.hpp"
#include "atoll/threads/team.hpp"
#include "measure/pair.hpp"

namespace Atoll::measure {

class MemoryProbe final : public Probe {
 public:
  /// Writes a chain of pointers through all lines of the block, in the order of a RandomCycle.
  /// Passes that write destroy the chain, so chases must be first. Each pass covers the next
  /// `piece_bytes`, which divide the block's size. Both are multiples of 4 MiB. Block and team must
  /// outlive the probe.
  MemoryProbe(const memory::Block& block, const Team& team, std::uint64_t line_bytes,
              std::uint64_t piece_bytes);

  Trial chase(std::uint64_t loads) override;
  Trial pass(Kernel kernel, int threads) override;

 private:
  /// Times `work` on the team's first `threads` threads.
  Trial time(int threads, const std::function<void(int thread)>& work) const;

  const memory::Block& block_;
  const Team& team_;
  const void* at_;
  std::uint64_t piece_, piece_at_ = 0;
};

}  // namespace Atoll::measure
