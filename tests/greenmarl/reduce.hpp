// Makes a program that shows a fault smaller, as long as it still shows it.
#pragma once

#include <functional>

#include "greenmarl/ast.hpp"

namespace Atoll::greenmarl::oracle {

/// `shows` is true of the module, and of what is returned.
[[nodiscard]] ast::Module reduced(ast::Module module,
                                  const std::function<bool(const ast::Module&)>& shows);

}  // namespace Atoll::greenmarl::oracle
