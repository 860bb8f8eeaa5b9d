// The names of objects in reports: the variable, or the place of the program that allocates.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

/// Returns the name that a process's program was called by, without its folders.
[[nodiscard]] std::string program_of(const Process& process);

/// Returns the place in the program where an object comes from: the deepest level of the user's own
/// code (trace/own_code.hpp); nullptr without levels.
[[nodiscard]] const Frame* place_of(const Recording& run, const Object& object);
/// Returns the variable, the function that allocates it, or what else stands for the object.
[[nodiscard]] std::string name_of(const Recording& run, const Object& object);

/// Tells apart, by size and order, objects that one line allocates by several calls, as Fortran's
/// "allocate(a, b, c)" does.
class SameLine {
 public:
  explicit SameLine(const Recording& run);
  /// Returns " (2nd of 3, 8 MiB)"; "" if only one call of the line allocates, or the line isn't
  /// known.
  [[nodiscard]] std::string words(const Object& object) const;

 private:
  /// What one call has allocated.
  struct Call {
    std::uint64_t offset = 0;  ///< tells it from the line's other calls
    std::uint64_t bytes = 0;   ///< of each object; 0: they differ
  };
  using Calls = std::vector<Call>;  ///< in the order of their first objects

  std::vector<Calls> lines_;
  std::map<std::uint32_t, std::pair<std::size_t, std::uint64_t>> of_;  ///< object: line, offset
};

}  // namespace Atoll::trace
