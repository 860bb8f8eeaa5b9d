// Selection of the backend.
#include "atoll/memory/backend.hpp"

#include <cerrno>
#include <string>
#include <system_error>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#if ATOLL_NUMA
#include "memory/linux_backend.hpp"
#endif

namespace Atoll::memory {
namespace {

Backend& choose() {
#if ATOLL_NUMA
  const int refusal = refusal_of_numa_calls();
  if (refusal == 0) return linux_backend();
  if (refusal != ENOSYS)  // ENOSYS: a kernel for a single node, where placement isn't needed
    note("pages can't be placed on nodes: the system refuses NUMA calls (" +
         std::generic_category().message(refusal) +
         "); in a container, allow them with the capability SYS_NICE");
#endif
  return portable_backend();
}

}  // namespace

Backend& system_backend() {
  static Backend& backend = choose();
  return backend;
}

Backend& backend_by_name(std::string_view name) {
  if (name == "portable") return portable_backend();
#if ATOLL_NUMA
  if (name == "linux") return linux_backend();
  constexpr std::string_view kBuilt = "take linux or portable";
#else
  constexpr std::string_view kBuilt = "take portable (this Atoll was built without NUMA calls)";
#endif
  throw Error::input("memory backend", "there is no '" + std::string(name) + "'", kBuilt);
}

}  // namespace Atoll::memory
