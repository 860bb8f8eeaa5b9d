// The change of the program's source that does what a plan does.
#pragma once

#include <string>

#include "profile/plan_options.hpp"
#include "profile/summary.hpp"

namespace Atoll::profile {

/// Returns a sentence: to initialise the object in parallel, with the thread that does it now and
/// where the threads that use it are created, or the layout of an Atoll::Array.
[[nodiscard]] std::string source_change(const PlanOption& option, const ObjectSummary& object,
                                        const Profile& profile, const PagesByNode& pages);
/// Returns the change that separates falsely shared words.
[[nodiscard]] std::string source_change_to_pad(const ObjectSummary& object);
/// Returns how threads are bound without a plan.
[[nodiscard]] std::string source_change_to_bind(bool close);

}  // namespace Atoll::profile
