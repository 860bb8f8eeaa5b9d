// Inside a sampled program: `atoll run --policy kmaf` binds threads from outside. What such a
// thread starts would inherit that; what the program bound itself is for it to inherit.
#pragma once

#include <cstdint>

namespace Atoll::trace::sample {

/// The process begins: what it may use now is what it was given.
void note_units();
/// The program binds a thread itself: from now on all bindings are its own.
void note_binding();
/// In a new thread, or a forked child's (`creator` 0).
void free_inherited(std::int32_t creator);

}  // namespace Atoll::trace::sample
