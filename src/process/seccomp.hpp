// System calls that a container's seccomp filter may refuse.
#pragma once

#include <string>
#include <string_view>

namespace Atoll::process {

/// The part of a message about a refused system call that names the seccomp filter of this process
/// as a possible cause, and the capability with which Docker allows the call; begins with "; ". ""
/// if there is no filter.
[[nodiscard]] std::string seccomp_hint(std::string_view call, std::string_view capability);

}  // namespace Atoll::process
