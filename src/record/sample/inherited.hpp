// Reverts inherited bindings. `atoll run --policy kmaf` binds threads of a sampled program from its
// own process. Threads and processes that they create would inherit this binding, but should
// inherit only bindings by the program.
#pragma once

#include <cstdint>

namespace Atoll::record::sample {

/// Called at the process's begin: stores the processing units that it may use.
void note_units();
/// The program binds a thread itself: from now on, all bindings count as the program's.
void note_binding();
/// Reverts the binding of a new thread, or of a forked child (`creator` is 0). Must be called in
/// it.
void free_inherited(std::int32_t creator);

}  // namespace Atoll::record::sample
