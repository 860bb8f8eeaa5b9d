// Names of objects in reports: the variable, or the code location of the allocation.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "atoll/recording/recording.hpp"

namespace Atoll::recording {

/// Returns the file name of the process's argv[0].
[[nodiscard]] std::string program_of(const Process& process);

/// Returns the code location that an object is attributed to: the innermost frame in the user's own
/// code (process/own_code.hpp); nullptr if there are no frames.
[[nodiscard]] const Frame* place_of(const Recording& run, const Object& object);
/// Returns the variable, the allocating function, or another description of the object.
[[nodiscard]] std::string name_of(const Recording& run, const Object& object);

/// Distinguishes objects, by size and order, that one source line allocates by several calls, such
/// as Fortran's "allocate(a, b, c)".
class SameLine {
 public:
  explicit SameLine(const Recording& run);
  /// Returns text such as " (2nd of 3, 8 MiB)"; "" if the line is unknown or has a single
  /// allocating call.
  [[nodiscard]] std::string words(const Object& object) const;

 private:
  /// Allocations of one call.
  struct Call {
    std::uint64_t offset = 0;  ///< code offset; distinguishes the calls of a line
    std::uint64_t bytes = 0;   ///< size of each object; 0: the sizes differ
  };
  using Calls = std::vector<Call>;  ///< in the order of their first objects

  std::vector<Calls> lines_;
  std::map<std::uint32_t, std::pair<std::size_t, std::uint64_t>> of_;  ///< object -> line, offset
};

}  // namespace Atoll::recording
