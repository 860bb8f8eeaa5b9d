#include "process/seccomp.hpp"

#include <fmt/format.h>

#include <fstream>

namespace Atoll::process {

std::string seccomp_hint(std::string_view call, std::string_view capability) {
  constexpr std::string_view kKey = "Seccomp:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kKey)) continue;
    if (line.find('2', kKey.size()) == std::string::npos) return "";  // mode 2: a filter is active
    return fmt::format(
        "; a seccomp filter is active, which may refuse {}: allow it in the container's settings "
        "(the capability {} does with Docker)",
        call, capability);
  }
  return "";
}

}  // namespace Atoll::process
