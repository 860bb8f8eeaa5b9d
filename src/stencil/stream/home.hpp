// A place in slow memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/memory/copy_engine.hpp"

namespace Atoll::stencil {

/// Begin of a range of slow memory: an address, or a position in a file. Neither in a prediction.
struct Home {
  std::byte* address = nullptr;
  memory::FilePosition position = {};

  /// Returns the place that many bytes later.
  [[nodiscard]] Home after(std::uint64_t bytes) const {
    return {address == nullptr ? nullptr : address + bytes,
            {position.file, position.offset + bytes}};
  }
};

}  // namespace Atoll::stencil
