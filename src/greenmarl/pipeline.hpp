// The compiler's passes, in their order.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

struct Pass {
  const char* name;
  void (*run)(ir::Procedure&);
};

/// Passes that make the declared arrays explicit. Patterns computed after them describe the
/// declared arrays.
[[nodiscard]] std::span<const Pass> declaring_passes();
/// Optimisations. Patterns computed after them describe the arrays of the generated code.
[[nodiscard]] std::span<const Pass> optimising_passes();

/// Returns the names of the procedures that aren't Local. The text must be free of mistakes.
[[nodiscard]] std::vector<std::string> offered_procedures(std::string_view text,
                                                          std::string_view file_name);

}  // namespace Atoll::greenmarl
