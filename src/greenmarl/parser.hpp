// Turns tokens into the syntax tree, by recursive descent (grammar: docs/green-marl.md).
#pragma once

#include "greenmarl/ast.hpp"
#include "greenmarl/diagnostics.hpp"

namespace Atoll::greenmarl {

/// How deeply expressions and statements may be nested.
inline constexpr int kMaxDepth = 200;
/// How long a program may be. A file given by mistake is longer.
inline constexpr std::size_t kMaxBytes = std::size_t{4} << 20;

/// Reports text that isn't in the language's grammar and nesting beyond kMaxDepth, and goes on
/// behind it: the tree holds what could be read. Names and types are not looked at.
[[nodiscard]] ast::Module parse(Diagnostics& diagnostics);

}  // namespace Atoll::greenmarl
