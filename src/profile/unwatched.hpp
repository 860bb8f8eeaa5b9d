// Which pages the front end `sample` can't see uses of, but first touches.
#pragma once

#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// Their part of all pages in use, but for those of programs' and libraries' files, and what
/// watches.
[[nodiscard]] double unwatched_share(const Profile& profile, const PagesByNode& pages);

}  // namespace Atoll::profile
