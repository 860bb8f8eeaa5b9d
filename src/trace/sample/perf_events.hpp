// Which perf events give addresses here: page faults on every Linux, loads and stores where the
// hardware samples them (Intel PEBS, AMD IBS), found in /sys/bus/event_source/devices.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trace/sample/ring.hpp"

namespace Atoll::trace::sample {

/// An event as perf_event_open is told about it.
struct Event {
  std::string name;  ///< "cpu/mem-loads/", for people
  std::uint32_t type = 0;
  std::uint64_t config = 0, config1 = 0, config2 = 0;
  bool hardware = false;
  bool amd_ibs = false;
  /// An event that must lead the group, where the processor asks for one ("mem-loads-aux").
  std::vector<Event> leader;
  friend bool operator==(const Event&, const Event&) = default;
};

[[nodiscard]] Event page_faults();
/// No event at all: threads and processes that begin and end.
[[nodiscard]] Event tasks_alone();

/// What samples loads and stores by address; empty: nothing does. `devices`: the folder. Skips what
/// it can't read or doesn't understand.
[[nodiscard]] std::vector<Event> address_events(
    const std::filesystem::path& devices = "/sys/bus/event_source/devices");

/// How the event is to be opened. `with_kernel`: what the kernel touches for the program, too.
[[nodiscard]] perf_event_attr attributes(const Event& event, bool with_kernel);

/// May this process watch its own children's page faults, by perf_event_paranoid's value and its
/// capability? Debian's default, 3, forbids it to users.
enum class Permission {
  all,  ///< with what the kernel touches for them
  without_kernel,
  none,
};
[[nodiscard]] Permission permission(int paranoid, bool capable);
[[nodiscard]] Permission permission_here();
/// How a user is allowed to watch the page faults of his programs.
[[nodiscard]] std::string how_to_allow();

}  // namespace Atoll::trace::sample
