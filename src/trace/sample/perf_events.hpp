// Finds the perf events that have addresses: page faults on every Linux, and loads and stores if
// the hardware samples them (Intel PEBS, AMD IBS), from /sys/bus/event_source/devices.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trace/sample/ring.hpp"

namespace Atoll::trace::sample {

/// An event as perf_event_open takes it.
struct Event {
  std::string name;  ///< "cpu/mem-loads/", for people
  std::uint32_t type = 0;
  std::uint64_t config = 0, config1 = 0, config2 = 0;
  bool hardware = false;
  bool amd_ibs = false;
  /// An event that must lead the group, if the processor needs one ("mem-loads-aux").
  std::vector<Event> leader;
  friend bool operator==(const Event&, const Event&) = default;
};

[[nodiscard]] Event page_faults();
/// Returns no event, but threads and processes that begin and end.
[[nodiscard]] Event tasks_alone();

/// Returns events that sample loads and stores by address; none if there are none. `devices` is the
/// folder. What can't be read or understood is skipped.
[[nodiscard]] std::vector<Event> address_events(
    const std::filesystem::path& devices = "/sys/bus/event_source/devices");

/// Returns how the event is to be opened. `with_kernel` includes what the kernel touches for the
/// program.
[[nodiscard]] perf_event_attr attributes(const Event& event, bool with_kernel);

/// If this process may watch its own children's page faults, by perf_event_paranoid's value and its
/// capability. Debian's default, 3, forbids it to users.
enum class Permission {
  all,  ///< with what the kernel touches for them
  without_kernel,
  none,
};
[[nodiscard]] Permission permission(int paranoid, bool capable);
[[nodiscard]] Permission permission_here();
/// Returns how to allow users to watch the page faults of their programs.
[[nodiscard]] std::string how_to_allow();

}  // namespace Atoll::trace::sample
