#include "profile/schedule_threads.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "profile/map_threads.hpp"
#include "profile/plan_object.hpp"

namespace Atoll::profile {

bool is_profile_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // a pipe can be read only once
  std::array<char, 15> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return std::string_view(head.data(), head.size()) == "SQLite format 3";
}

AffinityGraph thread_graph(const Profile& profile) {
  const CommunicationMatrix matrix = communication_of(profile);
  double most = 1;
  for (std::size_t i = 0; i < matrix.threads(); ++i)
    for (std::size_t j = 0; j < i; ++j) most = std::max(most, matrix.at(i, j));
  const double scale = std::min(1.0, 4294967295.0 / most);
  AffinityGraph graph;
  for (std::size_t i = 0; i < matrix.threads(); ++i) {
    for (std::size_t j = 0; j < matrix.threads(); ++j) {
      if (i == j || matrix.at(i, j) <= 0) continue;
      graph.neighbours.push_back(static_cast<std::uint32_t>(j));
      graph.weights.push_back(static_cast<std::uint32_t>(std::max(1.0, matrix.at(i, j) * scale)));
    }
    graph.begin.push_back(graph.neighbours.size());
  }
  return graph;
}

ScheduledThreads schedule_threads(const Profile& profile, const Machine& machine) {
  Places places = places_of(profile, machine);
  const ThreadMap map = map_threads(communication_of(profile), machine, places);
  std::ranges::copy(map.nodes, places.nodes_of_threads.begin());
  ScheduledThreads scheduled;
  scheduled.plan.machine = machine.name();
  if (!profile.recording.processes.empty())
    scheduled.plan.command = profile.recording.processes.front().command;
  scheduled.plan.reasons = {"threads are bound by communication: " + map.outcome};
  scheduled.plan.bind_threads = true;
  scheduled.plan.threads = planned_threads(profile.recording, places, map.units);
  scheduled.outcome = map.outcome;
  return scheduled;
}

}  // namespace Atoll::profile
