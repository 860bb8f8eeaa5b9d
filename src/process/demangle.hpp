// Demangles symbol names of C++ and Rust.
#pragma once

#include <string>

namespace Atoll::process {

/// Returns the demangled name, or `symbol` itself if it isn't mangled. Hashes of Rust names are
/// removed.
[[nodiscard]] std::string demangled(const std::string& symbol);

/// Demangles a function's symbol and removes the suffixes that compilers append to clones and parts
/// of a function ("main.plain", "f.part.0").
[[nodiscard]] std::string function_of_symbol(const std::string& symbol);

}  // namespace Atoll::process
