// Checks that a program's data fit into memory, before any allocation.
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/base/units.hpp>
#include <atoll/memory/backend.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace app {

/// Returns the available memory in bytes.
inline double available_memory() {
  return static_cast<double>(
      Atoll::memory::system_backend().available(Atoll::PageSize::huge).in_all());
}

/// Throws Error (input) if `needed` bytes exceed the available ones. `needed` is a double, because
/// a call can request more than 2^64 bytes. `what` names the data; `way_out` is a suggestion.
inline void check_memory(const std::string& where, const std::string& what, double needed,
                         const std::string& way_out, double available = available_memory()) {
  if (needed <= available) return;
  const auto bytes = [](double count) {
    return Atoll::format_bytes(static_cast<std::uint64_t>(std::min(count, 0x1p63)));
  };
  throw Atoll::Error::input(
      where, what + " need " + bytes(needed) + " of memory, and there are " + bytes(available),
      way_out);
}

}  // namespace app
