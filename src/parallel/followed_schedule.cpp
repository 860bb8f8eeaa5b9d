// Compares a loop with the loop that a schedule was made for.
#include "atoll/parallel/followed_schedule.hpp"

#include <cstdio>
#include <string>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "parallel/schedule_use.hpp"
#include "parallel/trial_lines.hpp"

namespace Atoll {
namespace {

std::string differ(const char* what, std::uint64_t scheduled, std::uint64_t real) {
  return "is for " + std::to_string(scheduled) + " " + what + ", the loop has " +
         std::to_string(real);
}

/// Returns the reason why the lists don't fit the loop; "" if they fit.
std::string misfit(const ScheduledLoop& scheduled, const TaskLoop& loop) {
  if (scheduled.iterations != loop.iterations)
    return differ("iterations", scheduled.iterations, loop.iterations);
  if (scheduled.chunk != loop.chunk)
    return differ("iterations a task", scheduled.chunk, loop.chunk);
  if (scheduled.fingerprint != 0 && loop.fingerprint != 0 &&
      scheduled.fingerprint != loop.fingerprint)
    return "is for a loop of the same size whose structure is another";
  return "";
}

/// Returns the reason why the schedule isn't for these threads; "" if it is.
std::string misfit(const std::vector<ThreadPlace>& scheduled, std::size_t threads,
                   std::span<const ThreadPlace> places) {
  if (scheduled.size() != threads) return differ("threads", scheduled.size(), threads);
  for (std::size_t thread = 0; thread < places.size(); ++thread)
    if (scheduled[thread].node != places[thread].node)
      return "has thread " + std::to_string(thread) + " on node " +
             std::to_string(scheduled[thread].node.value) + ", it is on node " +
             std::to_string(places[thread].node.value);
  return "";
}

/// Returns the predicted slowdown as text; "" if following is predicted to be faster or there is no
/// prediction.
std::string loss(const ScheduledLoop& scheduled, LoopData data) {
  const auto& predicted =
      data == LoopData::stays ? scheduled.predicted : scheduled.predicted_packed;
  if (!predicted || predicted->pays()) return "";
  char ratio[16];
  std::snprintf(ratio, sizeof ratio, "%.2f", predicted->ratio());
  return std::string("by the schedule it is predicted to take ") + ratio + " times its time" +
         (data == LoopData::stays ? ", since its data isn't packed" : ", though packed");
}

}  // namespace

FollowedSchedule::FollowedSchedule(Schedule schedule, FollowOptions options)
    : schedule_(std::move(schedule)), options_(options) {
  check(schedule_, "schedule");
}

const ScheduledLoop* FollowedSchedule::lists_for(const TaskLoop& loop, const ThreadPlaces& places,
                                                 LoopData data) const {
  return fitting(loop, places.size(), places, data);
}

const ScheduledLoop* FollowedSchedule::lists_for(const TaskLoop& loop, std::size_t threads,
                                                 LoopData data) const {
  return fitting(loop, threads, {}, data);
}

const ScheduledLoop* FollowedSchedule::fitting(const TaskLoop& loop, std::size_t threads,
                                               std::span<const ThreadPlace> places,
                                               LoopData data) const {
  detail::report_schedule_use();
  const ScheduledLoop* scheduled = schedule_.find(loop.name);
  std::string reason = scheduled == nullptr ? "has no tasks of it" : misfit(*scheduled, loop);
  if (reason.empty()) reason = misfit(schedule_.places, threads, places);
  const std::string where = "loop '" + std::string(loop.name) + "'";
  if (reason.empty() && scheduled != nullptr) {
    reason = options_.always ? "" : loss(*scheduled, data);
    if (reason.empty()) {
      print_followed(loop.name, data == LoopData::is_packed);
      return scheduled;
    }
    note(where + ": " + reason + "; it runs without (--always follows)");
    return nullptr;
  }
  reason = "the schedule " + reason;
  if (options_.strict) throw Error::input(where, reason, "make a schedule of this program's loop");
  note(where + ": " + reason + "; it runs without");
  return nullptr;
}

}  // namespace Atoll
