// Converts a profile's threads to an affinity graph and maps them [affinity §2, §3.1]. These are
// the paper's kernel threads; `atoll advise` also maps them, in addition to placing objects.
#pragma once

#include <string>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/affinity_graph.hpp"
#include "atoll/plan/program_plan.hpp"
#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

/// True if the file begins like a profile; false for a file that can't be read.
[[nodiscard]] bool is_profile_file(const std::string& path);

/// Returns a graph with one vertex for each of the first kCommunicatingThreads threads. An edge's
/// weight is the communication of its two threads. If the largest exceeds 2^32 - 1, all are scaled.
[[nodiscard]] AffinityGraph thread_graph(const Profile& profile);

/// A mapping of threads to nodes and processing units.
struct ScheduledThreads {
  ProgramPlan plan;     ///< binds threads, and places no object
  std::string outcome;  ///< one line of text
};
/// Maps threads by their communication, with map_threads().
[[nodiscard]] ScheduledThreads schedule_threads(const Profile& profile, const Machine& machine);

}  // namespace Atoll::profile
