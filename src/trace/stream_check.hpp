// Reads a stream's file, counts its contents, and checks what is true of every such file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

struct StreamCheck {
  std::vector<std::string>
      wrong;  ///< a line for each of the first 20 mistakes, and one for the rest
  std::uint64_t reads = 0, writes = 0, events = 0;
  /// Accesses by how many objects had their first byte at that time.
  std::uint64_t one_object = 0, several_objects = 0, no_object = 0;
  // Of a timed stream.
  std::uint64_t instructions = 0, divisions = 0, chain = 0;  ///< with accesses and without
  std::uint64_t dependent = 0, atomics = 0;                  ///< accesses
  Recording recording;
};

/// Throws Error (input) if there is no such file, or if it is damaged (it names the place).
[[nodiscard]] StreamCheck check_stream(const std::string& path);

}  // namespace Atoll::trace
