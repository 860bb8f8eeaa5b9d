// Sharing of lines in the whole program. The builder has counted it by object.
#pragma once

#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

[[nodiscard]] Sharing sharing_of_program(const Profile& profile);

}  // namespace Atoll::profile
