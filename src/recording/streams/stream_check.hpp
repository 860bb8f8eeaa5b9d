// Reads a stream file, counts its contents, and checks the invariants of stream files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/recording/recording.hpp"

namespace Atoll::recording {

struct StreamCheck {
  std::vector<std::string>
      wrong;  ///< the first 20 errors, one line each, and one line for the rest
  std::uint64_t reads = 0, writes = 0, events = 0;
  /// Accesses by the number of objects that owned their first byte at the time.
  std::uint64_t one_object = 0, several_objects = 0, no_object = 0;
  // Timed streams only:
  Work work;                                 ///< sum over accesses and the work between them
  std::uint64_t dependent = 0, atomics = 0;  ///< numbers of accesses
  Recording recording;
};

/// Throws Error (input) if the file does not exist or is damaged; the message has the position.
[[nodiscard]] StreamCheck check_stream(const std::string& path);

}  // namespace Atoll::recording
