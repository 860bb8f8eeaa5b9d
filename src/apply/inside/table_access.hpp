// This process's view of the table that `atoll run` made, and its questions to `atoll`.
#pragma once

#include "apply/inside/table.hpp"

namespace Atoll::apply::inside {

/// Maps the table that the environment names. Returns false if no plan is applied to this program.
bool attach();
/// Returns null until attach() has succeeded.
[[nodiscard]] Header* table();

template <typename T>
[[nodiscard]] T* at(Offset offset) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(table()) + offset);
}

/// Asks `atoll` and waits for the answer. Finds nothing if `atoll` has ended. Takes no lock and
/// allocates nothing; leaves errno alone.
[[nodiscard]] Answer ask(Question question, std::uint32_t index,
                         const std::uint64_t* stack = nullptr, std::uint32_t levels = 0);

}  // namespace Atoll::apply::inside
