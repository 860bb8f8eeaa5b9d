// A profile's traffic grouped by its source (thread, process) or by its target (object, allocating
// function or file).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/summary.hpp"

namespace Atoll::profile {

/// Key that rows are grouped by. `function` and `file` are those that allocate the object.
enum class GroupKey { object, function, file, thread, process };
inline constexpr std::array kGroupKeys{GroupKey::object, GroupKey::function, GroupKey::file,
                                       GroupKey::thread, GroupKey::process};
[[nodiscard]] std::string_view to_string(GroupKey by);
[[nodiscard]] std::optional<GroupKey> group_key_from_string(std::string_view word);

struct TrafficGroup {
  std::string name;
  std::size_t objects = 0;  ///< objects in this row, or used by its thread or process
  std::uint64_t accesses = 0;
  double traffic = 0,
         local = 0;  ///< in lines; local: to the thread's own node, by first touch

  [[nodiscard]] double remote() const { return traffic - local; }
  [[nodiscard]] double local_share() const { return traffic > 0 ? local / traffic : 0; }
};

/// Returns the rows by descending remote traffic, then by descending traffic.
[[nodiscard]] std::vector<TrafficGroup> traffic_groups(GroupKey by, const Profile& profile,
                                                       const Summary& summary);

/// Returns the rows as JSON (docs/report.md).
[[nodiscard]] std::string to_json(GroupKey by, const std::vector<TrafficGroup>& rows,
                                  const Summary& summary);

}  // namespace Atoll::profile
