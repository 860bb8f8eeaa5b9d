// The limit on the address space (ulimit -v) of watched programs. What watching maps comes on top
// of it, so that the program gets as much as alone.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <string>

namespace Atoll::trace {

/// While one lives, this process's own limit is lifted as far as it may be: it maps the recording,
/// too.
class AddressSpace {
 public:
  AddressSpace();
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// As it was given to this process.
  [[nodiscard]] const rlimit& given() const { return given_; }
  /// The same with room for `bytes` that watching maps, and where it may be for so much more that
  /// it maps for a moment. Throws Error (input) where the hard limit forbids it.
  [[nodiscard]] rlimit with_room(const std::string& program, std::uint64_t bytes,
                                 std::uint64_t for_a_moment) const;

 private:
  rlimit given_{};
  bool may_raise_ = false;  ///< beyond the hard limit
};

}  // namespace Atoll::trace
