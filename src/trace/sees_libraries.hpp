#pragma once

#include <algorithm>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

/// True if the front end sees what all libraries do: memory that the program reads and that nobody
/// was seen to write holds zeros.
[[nodiscard]] inline bool sees_all_libraries(const Recording& recording) {
  return std::ranges::none_of(recording.cant_see, [](const Unseen& unseen) {
    return unseen.kind == UnseenKind::other_libraries;
  });
}

}  // namespace Atoll::trace
