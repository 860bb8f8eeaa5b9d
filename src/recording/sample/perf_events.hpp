// Detection of perf events with addresses: page faults on every Linux, and loads and stores if the
// hardware samples them (Intel PEBS, AMD IBS), from /sys/bus/event_source/devices.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "recording/sample/ring.hpp"

namespace Atoll::recording::sample {

/// Parameters of an event for perf_event_open.
struct Event {
  std::string name;  ///< "cpu/mem-loads/", for messages
  std::uint32_t type = 0;
  std::uint64_t config = 0, config1 = 0, config2 = 0;
  bool hardware = false;
  bool amd_ibs = false;
  /// Event that must lead the group, if the processor requires one ("mem-loads-aux").
  std::vector<Event> leader;
  friend bool operator==(const Event&, const Event&) = default;
};

[[nodiscard]] Event page_faults();
/// Returns a dummy event, which only reports the begin and end of threads and processes.
[[nodiscard]] Event tasks_alone();

/// Returns the events that sample loads and stores by address; empty if there are none. Devices and
/// events that can't be read or parsed are skipped.
[[nodiscard]] std::vector<Event> address_events(
    const std::filesystem::path& devices = "/sys/bus/event_source/devices");

/// Returns the attributes to open the event with. `with_kernel` includes page faults of the kernel
/// on behalf of the program.
[[nodiscard]] perf_event_attr attributes(const Event& event, bool with_kernel);

/// Permission of this process to watch its children's page faults, according to perf_event_paranoid
/// and its capabilities. Debian's default, 3, denies it to users.
enum class Permission {
  all,  ///< including faults of the kernel on their behalf
  without_kernel,
  none,
};
[[nodiscard]] Permission permission(int paranoid, bool capable);
[[nodiscard]] Permission permission_here();
/// Returns instructions that allow users to watch the page faults of their programs.
[[nodiscard]] std::string how_to_allow();

}  // namespace Atoll::recording::sample
