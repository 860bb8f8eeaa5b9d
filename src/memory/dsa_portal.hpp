// The Data Streaming Accelerator's work queues as Linux's idxd driver shows them to user programs:
// which there are (sysfs), and the one operation on them, handing over an order. What touches the
// device is behind DsaPortal, so that all else runs against a device in software.
#pragma once

#if defined(__x86_64__) && __has_include(<linux/idxd.h>)
#define ATOLL_DSA 1
#include <linux/idxd.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace Atoll::memory {

/// A work queue that is enabled for user programs.
struct DsaQueue {
  std::string name;              ///< "wq0.1": the second of the first device
  bool dedicated = false;        ///< one program has it for itself, and counts its orders itself
  std::size_t entries = 0;       ///< orders that it holds
  std::size_t most_bytes = 0;    ///< of one order
  bool blocks_on_fault = false;  ///< the device waits for a page that isn't mapped, if told so
};

/// Those in the driver's folder, by name; none where there is no such folder.
[[nodiscard]] std::vector<DsaQueue> find_dsa_queues(
    const std::filesystem::path& devices = "/sys/bus/dsa/devices");

/// Contract: from any thread. The order is read before it returns; its completion record, aligned
/// to 32 bytes, stays where it is until the device has written a status there.
class DsaPortal {
 public:
  virtual ~DsaPortal() = default;
  /// False: the queue is full, try again later. Throws Error (failed) for what won't get better.
  [[nodiscard]] virtual bool submit(const dsa_hw_desc& order) = 0;
};

/// Through /dev/dsa. Throws Error (failed) if the device refuses.
[[nodiscard]] std::unique_ptr<DsaPortal> open_dsa_portal(const DsaQueue& queue);

}  // namespace Atoll::memory
#else
#define ATOLL_DSA 0
#endif
