// The change of the program's source that is equivalent to a plan.
#pragma once

#include <string>

#include "profile/plan_options.hpp"
#include "profile/summary.hpp"

namespace Atoll::profile {

/// Returns a sentence that recommends either a parallel initialisation of the object or an
/// Atoll::Array with a suitable layout. It names the thread that initialises the object now, and
/// the place that creates the threads that use the object.
[[nodiscard]] std::string source_change(const PlanOption& option, const ObjectSummary& object,
                                        const Profile& profile, const PagesByNode& pages);
/// Returns the change that separates falsely shared words.
[[nodiscard]] std::string source_change_to_pad(const ObjectSummary& object);
/// Returns the way to bind threads without a plan.
[[nodiscard]] std::string source_change_to_bind(bool close);

}  // namespace Atoll::profile
