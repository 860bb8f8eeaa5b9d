// Turns linkers' names of functions and variables into what people write, for C++ and Rust.
#pragma once

#include <string>

namespace Atoll::process {

/// Returns the name itself if it isn't mangled. Rust's names come without hashes.
[[nodiscard]] std::string demangled(const std::string& symbol);

/// Demangles a function's symbol, and removes what compilers append to the names of copies and
/// parts ("main.plain", "f.part.0").
[[nodiscard]] std::string function_of_symbol(const std::string& symbol);

}  // namespace Atoll::process
