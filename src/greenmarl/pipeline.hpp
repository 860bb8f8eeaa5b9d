// The compiler's passes, in their order.
#pragma once

#include <span>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

struct Pass {
  const char* name;
  void (*run)(ir::Procedure&);
};

/// Passes that make declared arrays explicit. After them, patterns are those of the declared
/// arrays.
[[nodiscard]] std::span<const Pass> declaring_passes();
/// Optimisations. After them, patterns are those of the arrays that are executed.
[[nodiscard]] std::span<const Pass> optimising_passes();

}  // namespace Atoll::greenmarl
