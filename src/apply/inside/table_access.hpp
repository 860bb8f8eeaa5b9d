// This process's mapping of the table from `atoll run`, and its queries to `atoll`.
#pragma once

#include "apply/inside/table.hpp"

namespace Atoll::apply::inside {

/// Maps the table that the environment names. Returns false if no plan is applied to this program.
bool attach();
/// Returns the table; null before attach() has succeeded.
[[nodiscard]] Header* table();

template <typename T>
[[nodiscard]] T* at(Offset offset) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(table()) + offset);
}

/// Sends a query to `atoll` and blocks until the answer. If `atoll` has ended, the answer is empty.
/// Takes no lock, allocates nothing and keeps errno.
[[nodiscard]] Answer ask(Question question, std::uint32_t index,
                         const std::uint64_t* stack = nullptr, std::uint32_t levels = 0);

}  // namespace Atoll::apply::inside
