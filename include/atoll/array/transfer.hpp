// Asynchronous copies and fills of arrays [shoal §5.3]: as memory/copy.hpp for plain memory, for
// all copies of a replicated target, each by threads near it.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "atoll/array/array.hpp"
#include "atoll/memory/copy.hpp"

namespace Atoll {

/// Starts to copy all elements into every copy of `target`. Throws Error (input) and changes
/// nothing if the sizes differ, if both are the same array, and in the cases of
/// memory::CopyEngines::start(). Both arrays must exist until the transfer is done.
[[nodiscard]] memory::Transfer start_copy(memory::CopyEngines& engines, const RawArray& target,
                                          const RawArray& source,
                                          const memory::TransferOptions& options = {});
/// Starts to copy `elements` elements from plain memory to the positions from `first` on of every
/// copy. Throws Error (input) if the array has fewer.
[[nodiscard]] memory::Transfer start_copy(memory::CopyEngines& engines, const RawArray& target,
                                          const void* source, std::size_t elements,
                                          std::size_t first = 0,
                                          const memory::TransferOptions& options = {});
/// Starts to set every element of every copy to `*element`, which is read before the call returns.
[[nodiscard]] memory::Transfer start_fill(memory::CopyEngines& engines, const RawArray& target,
                                          const void* element,
                                          const memory::TransferOptions& options = {});

template <class T>
[[nodiscard]] memory::Transfer start_copy(memory::CopyEngines& engines, Array<T>& target,
                                          const Array<T>& source,
                                          const memory::TransferOptions& options = {}) {
  return start_copy(engines, target.raw(), source.raw(), options);
}
template <class T>
[[nodiscard]] memory::Transfer start_copy(memory::CopyEngines& engines, Array<T>& target,
                                          std::type_identity_t<std::span<const T>> source,
                                          std::size_t first = 0,
                                          const memory::TransferOptions& options = {}) {
  return start_copy(engines, target.raw(), source.data(), source.size(), first, options);
}
template <class T>
[[nodiscard]] memory::Transfer start_fill(memory::CopyEngines& engines, Array<T>& target,
                                          const std::type_identity_t<T>& value,
                                          const memory::TransferOptions& options = {}) {
  return start_fill(engines, target.raw(), &value, options);
}

}  // namespace Atoll
