// Sharing of lines in the whole program, summed over the builder's counts by object.
#pragma once

#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

[[nodiscard]] Sharing sharing_of_program(const Profile& profile);

}  // namespace Atoll::profile
