// #line directives around foreign text, so that the C++ compiler reports the program's lines.
#pragma once

#include <string>
#include <string_view>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// A placeholder line for the directive that returns to the emitted file.
inline constexpr std::string_view kLineBack = "#line back";

/// Returns `text`, which begins after the bracket at `at`, with directives that give it the
/// program's line numbers. The result begins with a line break. Its last line is kLineBack; the
/// caller must append a line break.
[[nodiscard]] std::string with_program_lines(const ir::Procedure& procedure, Position at,
                                             std::string_view text);

/// Replaces each kLineBack in a whole file by a #line directive with its line number and the file
/// name `name`. (__BASE_FILE__ works only in gcc; in clang it follows #line.)
[[nodiscard]] std::string with_own_lines(std::string_view file, std::string_view name);

}  // namespace Atoll::greenmarl
