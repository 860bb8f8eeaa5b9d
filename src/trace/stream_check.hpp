// Reads a stream's file, counts what it has and checks what every one keeps to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

struct StreamCheck {
  std::vector<std::string> wrong;  ///< a line each, the first 20 and how many more
  std::uint64_t reads = 0, writes = 0, events = 0;
  /// Accesses by how many objects had their first byte then. What no record covers is no object.
  std::uint64_t one_object = 0, several_objects = 0, no_object = 0;
  Recording recording;
};

/// Throws Error (input): no such file, damaged, with the place.
[[nodiscard]] StreamCheck check_stream(const std::string& path);

}  // namespace Atoll::trace
