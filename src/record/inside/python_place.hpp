// Location in Python code that the calling thread executes.
#pragma once

#include <cstddef>

namespace Atoll::record::inside {

/// Writes the innermost Python function outside of installed packages and the line that it
/// executes, as in "load (app.py:12)", zero-terminated. If all functions are in installed packages,
/// writes the innermost one. Returns false if the thread executes no Python code, or the
/// interpreter isn't CPython 3.11. The thread need not hold the interpreter's lock. The function
/// doesn't allocate, since the interpreter's allocator may be its caller.
[[nodiscard]] bool python_place(char* text, std::size_t bytes);

/// Searches for the interpreter again at the next call. Call it after a library was loaded.
void look_for_python_again();

}  // namespace Atoll::record::inside
