// Work queues of the Data Streaming Accelerator, as Linux's idxd driver offers them to user
// programs: a list of them (sysfs), and one operation, submission of a descriptor. All code that
// accesses the device is behind DsaPortal, so that the rest can run with a software model.
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
  std::string name;            ///< "wq0.1" is the second queue of the first device
  bool dedicated = false;      ///< used by one process only, which must count its orders
  std::size_t entries = 0;     ///< capacity in orders
  std::size_t most_bytes = 0;  ///< maximum size of an order
  bool blocks_on_fault =
      false;  ///< the device can wait for a page that isn't mapped, if the order requests it
};

/// Returns the queues in the driver's folder, ordered by name; empty if the folder doesn't exist.
[[nodiscard]] std::vector<DsaQueue> find_dsa_queues(
    const std::filesystem::path& devices = "/sys/bus/dsa/devices");

/// Contract: thread-safe. submit() reads the order before it returns. The completion record,
/// aligned to 32 bytes, must stay at its address until the device has written a status to it.
class DsaPortal {
 public:
  virtual ~DsaPortal() = default;
  /// Returns false if the queue is full and the caller may retry later. Throws Error (failed) for
  /// permanent errors.
  [[nodiscard]] virtual bool submit(const dsa_hw_desc& order) = 0;
};

/// Opens a queue in /dev/dsa. Throws Error (failed) if the device refuses.
[[nodiscard]] std::unique_ptr<DsaPortal> open_dsa_portal(const DsaQueue& queue);

}  // namespace Atoll::memory
#else
#define ATOLL_DSA 0
#endif
