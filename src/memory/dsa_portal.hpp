// The Data Streaming Accelerator's work queues as Linux's idxd driver shows them to user programs:
// a list of them (sysfs), and the one operation on them, submitting an order. All code that touches
// the device is behind DsaPortal, so that all else runs against a device in software.
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
  std::string name;            ///< "wq0.1": the second of the first device
  bool dedicated = false;      ///< only one program uses it, and has to count its orders itself
  std::size_t entries = 0;     ///< orders that it can hold
  std::size_t most_bytes = 0;  ///< the largest order
  bool blocks_on_fault =
      false;  ///< the device waits for a page that isn't mapped, if the order says so
};

/// Finds the queues in the driver's folder, by name. Returns none if there is no such folder.
[[nodiscard]] std::vector<DsaQueue> find_dsa_queues(
    const std::filesystem::path& devices = "/sys/bus/dsa/devices");

/// Contract: may be called from any thread. The order is read before submit() returns. Its
/// completion record, aligned to 32 bytes, stays where it is until the device has written a status
/// there.
class DsaPortal {
 public:
  virtual ~DsaPortal() = default;
  /// Returns false if the queue is full and the caller may try again later. Throws Error (failed)
  /// for errors that last.
  [[nodiscard]] virtual bool submit(const dsa_hw_desc& order) = 0;
};

/// Opens a queue in /dev/dsa. Throws Error (failed) if the device refuses.
[[nodiscard]] std::unique_ptr<DsaPortal> open_dsa_portal(const DsaQueue& queue);

}  // namespace Atoll::memory
#else
#define ATOLL_DSA 0
#endif
