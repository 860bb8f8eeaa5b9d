// Error hints about system calls that a container's seccomp filter may refuse.
#pragma once

#include <string>
#include <string_view>

namespace Atoll::process {

/// Returns a suffix for the message about a refused system call, beginning with "; ". It names this
/// process's seccomp filter as a possible cause, and the capability with which Docker allows the
/// call. "" if there is no filter.
[[nodiscard]] std::string seccomp_hint(std::string_view call, std::string_view capability);

}  // namespace Atoll::process
