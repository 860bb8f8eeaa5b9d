// Limit on the address space (ulimit -v) of watched programs. The limit is raised by the size of
// the mappings that watching needs, so that the program itself has its full limit.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <string>

namespace Atoll::recording {

/// While an object of this class exists, this process's own limit is raised as far as allowed,
/// since this process maps the recording, too.
class AddressSpace {
 public:
  AddressSpace();
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// Returns this process's original limit.
  [[nodiscard]] const rlimit& given() const { return given_; }
  /// Returns the original limit plus `bytes` of permanent mappings and, if the hard limit allows,
  /// `for_a_moment` bytes of temporary mappings at the start. Throws Error (input) if the hard
  /// limit is too low for `bytes`.
  [[nodiscard]] rlimit with_room(const std::string& program, std::uint64_t bytes,
                                 std::uint64_t for_a_moment) const;

 private:
  rlimit given_{};
  bool may_raise_ = false;  ///< the hard limit may be raised
};

}  // namespace Atoll::recording
