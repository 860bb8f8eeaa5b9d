// Text on the places of threads for reports and advice.
#pragma once

#include <string>

#include "profile/places.hpp"

namespace Atoll::profile {

/// Returns "threads 0-7 on node 0, …: assumed, …"; "" without threads.
[[nodiscard]] std::string places_in_words(const Places& places);

}  // namespace Atoll::profile
