#include "recording/pages/address_space.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"

namespace Atoll::recording {

AddressSpace::AddressSpace() {
  ::getrlimit(RLIMIT_AS, &given_);
  const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
  may_raise_ = ::setrlimit(RLIMIT_AS, &none) == 0;
  const rlimit most{given_.rlim_max, given_.rlim_max};
  if (!may_raise_) ::setrlimit(RLIMIT_AS, &most);
}

AddressSpace::~AddressSpace() {
  ::setrlimit(RLIMIT_AS, &given_);
}

rlimit AddressSpace::with_room(const std::string& program, std::uint64_t bytes,
                               std::uint64_t for_a_moment) const {
  const auto plus = [](rlim_t limit, std::uint64_t more) {
    return limit >= RLIM_INFINITY - more ? RLIM_INFINITY : limit + more;
  };
  rlimit limit{plus(given_.rlim_cur, bytes), plus(given_.rlim_max, bytes + for_a_moment)};
  if (may_raise_) return limit;
  limit.rlim_max = given_.rlim_max;
  if (limit.rlim_cur <= limit.rlim_max) return limit;
  throw Error::input(
      program,
      fmt::format("its address space is limited to {} (ulimit -v), and watching maps {} besides",
                  format_bytes(given_.rlim_cur), format_bytes(bytes)),
      "lower the soft limit alone (ulimit -S -v), or give less for recording with --memory");
}

}  // namespace Atoll::recording
