// Parses tokens into the syntax tree, by recursive descent (grammar: docs/green-marl.md).
#pragma once

#include "greenmarl/ast.hpp"
#include "greenmarl/diagnostics.hpp"

namespace Atoll::greenmarl {

/// Limit for the nesting depth of expressions and statements.
inline constexpr int kMaxDepth = 200;
/// Limit for the length of a program in bytes; detects files that aren't programs.
inline constexpr std::size_t kMaxBytes = std::size_t{4} << 20;

/// Reports syntax errors and nesting beyond kMaxDepth, and continues after them. The tree contains
/// everything that was parsed. Names and types aren't checked.
[[nodiscard]] ast::Module parse(Diagnostics& diagnostics);

}  // namespace Atoll::greenmarl
