// `atoll run --policy kmaf` binds threads of a sampled program from outside. What such a thread
// starts would inherit that binding. It should only inherit what the program bound itself.
#pragma once

#include <cstdint>

namespace Atoll::trace::sample {

/// The process begins: it was given the units that it may use now.
void note_units();
/// The program binds a thread itself: from now on all bindings are the program's.
void note_binding();
/// Called in a new thread, or in a forked child (`creator` is 0).
void free_inherited(std::int32_t creator);

}  // namespace Atoll::trace::sample
