// Reduces a program that shows a fault to a smaller one that still shows it.
#pragma once

#include <functional>

#include "greenmarl/ast.hpp"

namespace Atoll::greenmarl::oracle {

/// `shows` must be true for the module. It is true for the result.
[[nodiscard]] ast::Module reduced(ast::Module module,
                                  const std::function<bool(const ast::Module&)>& shows);

}  // namespace Atoll::greenmarl::oracle
