// The system's word on available memory.
#include "graph/budget.hpp"

#include <fstream>
#include <string>

namespace Atoll::graph {

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  while (file >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, name);
  }
  return UINT64_MAX;
}

}  // namespace Atoll::graph
