// Pages of which the front end `sample` sees only first touches.
#pragma once

#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// Returns their part of all pages in use, except for those of programs' and libraries' files, and
/// of Atoll's own library.
[[nodiscard]] double unwatched_share(const Profile& profile, const PagesByNode& pages);

}  // namespace Atoll::profile
