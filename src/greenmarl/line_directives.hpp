// #line directives around foreign text, so that the C++ compiler names the program's lines.
#pragma once

#include <string>
#include <string_view>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Stands on a line of its own for the directive that returns to the emitted file.
inline constexpr std::string_view kLineBack = "#line back";

/// `text`, which begins behind the bracket at `at`, on lines that count as those of the program. It
/// begins with a line break; its last line is kLineBack, which a line break has to follow.
[[nodiscard]] std::string with_program_lines(const ir::Procedure& procedure, Position at,
                                             std::string_view text);

/// Replaces each kLineBack of a whole file by the directive with its line number; the file is
/// called `name`. (__BASE_FILE__ would do in gcc alone: in clang it follows #line.)
[[nodiscard]] std::string with_own_lines(std::string_view file, std::string_view name);

}  // namespace Atoll::greenmarl
