// Turns tokens into the syntax tree, by recursive descent (grammar: docs/green-marl.md).
#pragma once

#include "greenmarl/ast.hpp"

namespace Atoll::greenmarl {

/// How deeply expressions and statements may be nested.
inline constexpr int kMaxDepth = 200;

/// Throws SourceError for text that isn't in the language's grammar, for parts of the language that
/// aren't supported yet (named as such), and for nesting beyond kMaxDepth.
[[nodiscard]] ast::Procedure parse(const Source& source);

}  // namespace Atoll::greenmarl
