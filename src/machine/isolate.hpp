// Handles foreign input in a process of its own: hwloc 2.9 crashes on some broken XML files, and
// takes any amount of memory for some descriptions. A crash there is an error here.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace Atoll::detail {

/// Returns what `work` returns. An Error that it throws is thrown again. If it crashes, or takes
/// more than 10 s or 1 GiB, this throws Error (input) "where: what; way_out". What it writes to
/// standard error is dropped.
[[nodiscard]] std::string run_isolated(const std::function<std::string()>& work,
                                       std::string_view where, std::string_view what,
                                       std::string_view way_out);

}  // namespace Atoll::detail
