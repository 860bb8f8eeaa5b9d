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

/// Passes that make declared arrays explicit. After them, patterns are those of the declared
/// arrays.
[[nodiscard]] std::span<const Pass> declaring_passes();
/// Optimisations. After them, patterns are those of the arrays that are executed.
[[nodiscard]] std::span<const Pass> optimising_passes();

/// The procedures that aren't Local, of a text without mistakes.
[[nodiscard]] std::vector<std::string> offered_procedures(std::string_view text,
                                                          std::string_view file_name);

}  // namespace Atoll::greenmarl
