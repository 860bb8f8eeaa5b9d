// Finds and checks schedules.
#include "atoll/plan/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "atoll/base/error.hpp"
#include "plan/row_begins.hpp"

namespace Atoll {

double SchedulePrediction::ratio() const {
  return plain_seconds > 0 ? followed_seconds / plain_seconds : 1;
}

std::optional<std::uint64_t> SchedulePrediction::pays_after() const {
  if (!pays()) return std::nullopt;
  // Above 2^53, a double can't represent all integers.
  const double runs = std::min(prepare_seconds / (plain_seconds - followed_seconds), 0x1p53);
  return static_cast<std::uint64_t>(runs) + 1;
}

namespace {

bool is_time(double seconds) {
  return seconds >= 0 && std::isfinite(seconds);
}

}  // namespace

void check(const ScheduledLoop& loop, std::size_t threads, std::string_view place) {
  const std::string where = std::string(place) + ": loop '" + loop.name + "'";
  if (loop.chunk == 0) throw Error::input(where, "has chunks of no iteration");
  for (const auto& predicted : {loop.predicted, loop.predicted_packed})
    if (predicted && !(is_time(predicted->plain_seconds) && is_time(predicted->followed_seconds) &&
                       is_time(predicted->prepare_seconds)))
      throw Error::input(where, "has a prediction that is no time");
  const std::uint64_t tasks = loop.task_count();
  if (tasks >= std::numeric_limits<std::uint32_t>::max())
    throw Error::input(where, "has more than 2^32 - 2 tasks", "make the chunks larger");
  detail::check_begins(loop.begin, loop.tasks.size(), where, "thread");
  if (loop.begin.size() - 1 != threads)
    throw Error::input(where, "has lists for " + std::to_string(loop.begin.size() - 1) + " of " +
                                  std::to_string(threads) + " threads");
  if (loop.tasks.size() != tasks)
    throw Error::input(where, "lists " + std::to_string(loop.tasks.size()) + " of " +
                                  std::to_string(tasks) + " tasks");
  std::vector<bool> listed(tasks);
  for (const std::uint32_t task : loop.tasks) {
    if (task >= tasks)
      throw Error::input(where, "has no task " + std::to_string(task) + "; the last is " +
                                    std::to_string(tasks - 1));
    if (listed[task]) throw Error::input(where, "lists task " + std::to_string(task) + " twice");
    listed[task] = true;
  }
}

const ScheduledLoop* Schedule::find(std::string_view name) const {
  const auto found = std::ranges::find(loops, name, &ScheduledLoop::name);
  return found == loops.end() ? nullptr : &*found;
}

void check(const Schedule& schedule, std::string_view where) {
  if (schedule.places.empty()) throw Error::input(where, "has no thread");
  for (const ScheduledLoop& loop : schedule.loops) {
    if (schedule.find(loop.name) != &loop)
      throw Error::input(std::string(where) + ": loop '" + loop.name + "'", "is there twice");
    check(loop, schedule.places.size(), where);
  }
}

}  // namespace Atoll
