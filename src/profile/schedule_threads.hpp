// A profile's threads as an affinity graph, and where they belong [affinity §2, §3.1]: the paper's
// kernel threads, which `atoll advise` maps as well, beside what it does about objects.
#pragma once

#include <string>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/affinity_graph.hpp"
#include "atoll/plan/program_plan.hpp"
#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

/// True if the file begins as a profile does. False for what can't be read.
[[nodiscard]] bool is_profile_file(const std::string& path);

/// A vertex for each of the first kCommunicatingThreads threads. An edge weighs what the two
/// communicate, scaled where that is more than 2^32 - 1.
[[nodiscard]] AffinityGraph thread_graph(const Profile& profile);

/// Where threads run.
struct ScheduledThreads {
  ProgramPlan plan;     ///< binds threads, and places no object
  std::string outcome;  ///< one line for people
};
/// Maps threads by their communication, as map_threads() does.
[[nodiscard]] ScheduledThreads schedule_threads(const Profile& profile, const Machine& machine);

}  // namespace Atoll::profile
