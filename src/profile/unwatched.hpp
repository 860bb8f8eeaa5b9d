// Pages for which the front end `sample` records only first touches.
#pragma once

#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// Returns their fraction of all pages in use. Pages of files of programs and libraries, and of
/// Atoll's own library, aren't counted.
[[nodiscard]] double unwatched_share(const Profile& profile, const PagesByNode& pages);

}  // namespace Atoll::profile
