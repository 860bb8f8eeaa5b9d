// Processes for the HTML report. A script may run thousands of processes with hardly any traffic;
// these are counted by name.
#include <algorithm>
#include <functional>
#include <map>

#include "atoll/base/json.hpp"
#include "profile/html_parts.hpp"

namespace Atoll::profile {
namespace {

/// A process is idle if its traffic is less than all traffic divided by this number.
constexpr std::uint64_t kIdle = 1000;
/// Maximum number of characters of a name that are shown.
constexpr std::size_t kName = 200;

Json row(const std::string& name, std::size_t count, std::size_t threads, std::uint64_t accesses,
         std::uint64_t traffic) {
  return {{"name", name.substr(0, kName)},
          {"count", count},
          {"threads", threads},
          {"accesses", accesses},
          {"traffic", traffic}};
}

}  // namespace

Json html_processes(const Summary& summary) {
  struct Group {
    std::size_t count = 0, threads = 0;
    std::uint64_t accesses = 0, traffic = 0;
  };
  std::map<std::string, Group> groups;
  std::vector<const ProcessSummary*> sorted;
  sorted.reserve(summary.processes.size());
  for (const ProcessSummary& process : summary.processes) sorted.push_back(&process);
  std::ranges::stable_sort(sorted, std::greater{}, &ProcessSummary::traffic);
  Json busy = Json::array(), idle = Json::array();
  for (const ProcessSummary* process : sorted) {
    if (process->traffic > summary.traffic / kIdle) {
      busy.push_back(row(process->name, 1, process->threads, process->accesses, process->traffic));
      if (process->interval) busy.back()["said"] = format_share(0, &*process->interval);
      continue;
    }
    Group& group = groups[process->name];
    ++group.count;
    group.threads += process->threads;
    group.accesses += process->accesses;
    group.traffic += process->traffic;
  }
  std::size_t left_out = 0;
  for (const auto& [name, group] : groups)
    if (idle.size() < kHtmlIdleNames)
      idle.push_back(row(name, group.count, group.threads, group.accesses, group.traffic));
    else
      left_out += group.count;
  return {{"busy", busy}, {"idle", idle}, {"idle_left_out", left_out}};
}

}  // namespace Atoll::profile
