// The DMA engine on given portals, for tests.
#pragma once

#include "atoll/memory/copy_engine.hpp"
#include "memory/dsa_portal.hpp"

#if ATOLL_DSA
namespace Atoll::memory {

struct DsaChannel {
  DsaQueue queue;
  std::unique_ptr<DsaPortal> portal;
};

/// `channels` must not be empty.
[[nodiscard]] std::unique_ptr<CopyEngine> dsa_engine(std::vector<DsaChannel> channels);

}  // namespace Atoll::memory
#endif
