// Properties of accesses besides their addresses: the work before them, and their dependences. The
// header is free-standing, as the recorder in watched programs includes it.
#pragma once

#include <cstdint>

namespace Atoll::record {

/// Estimated work of a thread between two of its accesses or other records.
template <typename Count>
struct WorkCounts {
  Count instructions = 0;  ///< executed instructions
  Count divisions = 0;     ///< divisions and square roots among them
  /// Floating-point operations among them that form a dependency chain: each needs the result of
  /// the one before it, across accesses too.
  Count chain = 0;

  template <typename Other>
  constexpr WorkCounts& operator+=(const WorkCounts<Other>& other) {
    instructions = static_cast<Count>(instructions + other.instructions);
    divisions = static_cast<Count>(divisions + other.divisions);
    chain = static_cast<Count>(chain + other.chain);
    return *this;
  }
  [[nodiscard]] constexpr bool is_none() const { return (instructions | divisions | chain) == 0; }
  friend constexpr bool operator==(const WorkCounts&, const WorkCounts&) = default;
};

/// Work that belongs to no access, and sums of work.
using Work = WorkCounts<std::uint64_t>;

/// Properties of accesses in timed streams. Many accesses share them, so each access refers to a
/// style by its number.
struct AccessStyle {
  WorkCounts<std::uint32_t> work;  ///< between the thread's previous access and this one
  /// The address comes from the n-th load before this access in the thread's order; 0: from no
  /// known load. Ranges use AccessRange::depends_on instead.
  std::uint32_t depends_on = 0;
  bool atomic = false;  ///< a part of an atomic operation
  friend constexpr bool operator==(const AccessStyle&, const AccessStyle&) = default;
};
inline constexpr std::uint32_t kAccessStyles = 128;  ///< style numbers are smaller

}  // namespace Atoll::record
