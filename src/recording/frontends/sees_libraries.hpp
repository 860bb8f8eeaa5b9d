#pragma once

#include <algorithm>

#include "atoll/recording/recording.hpp"

namespace Atoll::recording {

/// Returns true if the front end observes all libraries. Then memory that the program reads without
/// an observed write contains zeros.
[[nodiscard]] inline bool sees_all_libraries(const Recording& recording) {
  return std::ranges::none_of(recording.cant_see, [](const Unseen& unseen) {
    return unseen.kind == UnseenKind::other_libraries;
  });
}

}  // namespace Atoll::recording
