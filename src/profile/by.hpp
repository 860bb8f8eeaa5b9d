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
enum class By { object, function, file, thread, process };
inline constexpr std::array kBys{By::object, By::function, By::file, By::thread, By::process};
[[nodiscard]] std::string_view to_string(By by);
[[nodiscard]] std::optional<By> by_from_string(std::string_view word);

struct ByRow {
  std::string name;
  std::size_t objects = 0;  ///< objects in this row, or used by its thread or process
  std::uint64_t accesses = 0;
  double traffic = 0,
         local = 0;  ///< in lines; local: to the thread's own node, by first touch

  [[nodiscard]] double remote() const { return traffic - local; }
  [[nodiscard]] double local_share() const { return traffic > 0 ? local / traffic : 0; }
};

/// Returns the rows by descending remote traffic, then by descending traffic.
[[nodiscard]] std::vector<ByRow> rows_by(By by, const Profile& profile, const Summary& summary);

/// Returns the rows as JSON (docs/report.md).
[[nodiscard]] std::string to_json(By by, const std::vector<ByRow>& rows, const Summary& summary);

}  // namespace Atoll::profile
