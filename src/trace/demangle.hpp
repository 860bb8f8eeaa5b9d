// Linkers' names of functions and variables, as people write them: C++'s and Rust's.
#pragma once

#include <string>

namespace Atoll::trace {

/// The name itself where it isn't mangled. Rust's are without hashes.
[[nodiscard]] std::string demangled(const std::string& symbol);

/// The same of a function's symbol, without what compilers append to the names of copies and parts
/// ("main.plain", "f.part.0").
[[nodiscard]] std::string function_of_symbol(const std::string& symbol);

}  // namespace Atoll::trace
