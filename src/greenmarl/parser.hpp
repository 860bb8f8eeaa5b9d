// From tokens to the syntax tree, by recursive descent (grammar: docs/green-marl.md).
#pragma once

#include "greenmarl/ast.hpp"

namespace Atoll::greenmarl {

/// Expressions and statements may be nested so deeply.
inline constexpr int kMaxDepth = 200;

/// Throws SourceError: for what isn't in the language's grammar, for what is but isn't supported
/// yet (named as such), and for nesting beyond kMaxDepth.
[[nodiscard]] ast::Procedure parse(const Source& source);

}  // namespace Atoll::greenmarl
