#include "cli/schedule_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/json.hpp"
#include "cli/profile_text.hpp"

namespace Atoll::cli {
namespace {

/// Returns text such as "0-15 40 38 36", in which consecutive tasks are a range.
std::string list_text(std::span<const std::uint32_t> tasks) {
  std::string text;
  for (std::size_t first = 0, end = 0; first < tasks.size(); first = end) {
    for (end = first + 1; end < tasks.size() && tasks[end] == tasks[end - 1] + 1;) ++end;
    text += first == 0 ? "" : " ";
    text += end - first < 3 ? std::to_string(tasks[first])
                            : fmt::format("{}-{}", tasks[first], tasks[end - 1]);
    if (end - first == 2) end = first + 1;
  }
  return text;
}

Json json_of(const Schedule& schedule, const ScheduledLoop& loop) {
  Json threads = Json::array();
  for (std::size_t thread = 0; thread < schedule.places.size(); ++thread)
    threads.push_back({{"processing_unit", schedule.places[thread].pu},
                       {"node", schedule.places[thread].node.value},
                       {"tasks", loop.of(thread)}});
  return {{"name", loop.name},
          {"iterations", loop.iterations},
          {"chunk", loop.chunk},
          {"threads", threads}};
}

void print(const Schedule& schedule, const ScheduledLoop& loop) {
  fmt::print("\nloop {}: {} of {}\n", loop.name, counted(loop.tasks.size(), "task"),
             counted(loop.chunk, "iteration"));
  for (std::size_t thread = 0; thread < schedule.places.size(); ++thread) {
    fmt::print("  thread {}, processing unit {}, node {}: {}\n", thread, schedule.places[thread].pu,
               schedule.places[thread].node.value, counted(loop.of(thread).size(), "task"));
    for (const std::string& line : wrap("    " + list_text(loop.of(thread)), 4))
      fmt::print("{}\n", line);
  }
}

}  // namespace

void print_lists(const Schedule& schedule, const std::string& path, const std::string& loop,
                 bool json) {
  if (!loop.empty() && schedule.find(loop) == nullptr)
    throw Error::input(path, fmt::format("has no loop '{}'", loop),
                       "see its loops: atoll schedule --check " + path);
  Json loops = Json::array();
  if (!json) fmt::print("{}: {}\n", path, counted(schedule.places.size(), "thread"));
  for (const ScheduledLoop& one : schedule.loops) {
    if (!loop.empty() && one.name != loop) continue;
    if (json)
      loops.push_back(json_of(schedule, one));
    else
      print(schedule, one);
  }
  if (json) fmt::print("{}\n", Json{{"schedule", path}, {"loops", loops}}.dump());
}

}  // namespace Atoll::cli
