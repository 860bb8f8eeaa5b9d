// Processes untrusted input in a separate process. hwloc 2.9 crashes on some malformed XML files,
// and uses unlimited memory for some descriptions. A crash becomes an Error.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace Atoll::detail {

/// Returns the result of `work`, or rethrows its Error. If `work` crashes, or takes more than 10 s
/// or 1 GiB, throws Error (input) "where: what; way_out". Output of `work` to standard error is
/// discarded.
[[nodiscard]] std::string run_isolated(const std::function<std::string()>& work,
                                       std::string_view where, std::string_view what,
                                       std::string_view way_out);

}  // namespace Atoll::detail
