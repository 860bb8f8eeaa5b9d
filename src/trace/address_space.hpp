// The limit on the address space (ulimit -v) of watched programs. What watching maps is added to
// it, so that the program gets as much as it gets alone.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <string>

namespace Atoll::trace {

/// While one lives, this process's own limit is raised as far as allowed: it maps the recording,
/// too.
class AddressSpace {
 public:
  AddressSpace();
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// Returns the limit that this process was given.
  [[nodiscard]] const rlimit& given() const { return given_; }
  /// Returns that limit with room for `bytes` that watching maps and, if allowed, for the further
  /// bytes that it maps for a moment. Throws Error (input) if the hard limit forbids it.
  [[nodiscard]] rlimit with_room(const std::string& program, std::uint64_t bytes,
                                 std::uint64_t for_a_moment) const;

 private:
  rlimit given_{};
  bool may_raise_ = false;  ///< beyond the hard limit
};

}  // namespace Atoll::trace
