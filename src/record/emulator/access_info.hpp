// Decodes qemu's description of an access.
#pragma once

#include <cstdint>

#include "record/emulator/qemu_api.hpp"

namespace Atoll::record::dbi {

// Fields of qemu_plugin_meminfo_t.
inline constexpr unsigned kLog2Shift = 4, kLog2Mask = 7, kLoad = 1U << 16, kStore = 1U << 17;
inline bool is_store(qemu_plugin_meminfo_t access) {
  return (access & kStore) != 0;
}
inline std::uint32_t bytes_of(qemu_plugin_meminfo_t access) {
  return 1U << ((access >> kLog2Shift) & kLog2Mask);
}

/// Remaining part of a vector access, which the emulator splits into parts of 8 bytes.
struct Parts {
  std::uint64_t next;
  std::uint64_t end;
};
inline __attribute__((tls_model("initial-exec"))) thread_local constinit Parts parts = {};

/// True if a part is the first one of a vector access of `all` bytes.
inline bool begins_vector(qemu_plugin_meminfo_t access, std::uint64_t address, std::uint32_t all) {
  const std::uint64_t bytes = bytes_of(access);
  Parts& rest = parts;
  if (rest.next == address && rest.next < rest.end) {
    rest.next += bytes;
    return false;
  }
  rest = {address + bytes, address + all};
  return true;
}

}  // namespace Atoll::record::dbi
