// The compiler's table of contents.
#pragma once

#include <span>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

struct Pass {
  const char* name;
  void (*run)(ir::Procedure&);
};

/// What declared arrays need to be explicit; after it, patterns are those of the declared arrays.
[[nodiscard]] std::span<const Pass> declaring_passes();
/// Optimisations, in their order; after them, patterns are those of the arrays that are executed.
[[nodiscard]] std::span<const Pass> optimising_passes();

}  // namespace Atoll::greenmarl
