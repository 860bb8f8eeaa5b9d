// The place in Python code that the calling thread executes.
#pragma once

#include <cstddef>

namespace Atoll::trace::inside {

/// Writes the innermost Python function outside of installed packages and the line that it
/// executes, as in "load (app.py:12)", with a final zero. If all functions are of installed
/// packages, writes the innermost. Returns false if the thread executes no Python code, or the
/// interpreter is not CPython 3.11. The thread need not hold the interpreter's lock. Allocates
/// nothing and calls nothing that does: the interpreter's allocator may be the caller.
[[nodiscard]] bool python_place(char* text, std::size_t bytes);

/// Looks for the interpreter again at the next call: a library was loaded.
void look_for_python_again();

}  // namespace Atoll::trace::inside
