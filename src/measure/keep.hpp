// Keeps the compiler from dropping a computation.
#pragma once

namespace Atoll::measure {

/// The compiler must assume that `value` and all memory are read.
template <class T>
void keep(T value) {
  asm volatile("" : : "r"(value) : "memory");
}

}  // namespace Atoll::measure
