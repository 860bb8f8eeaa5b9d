// Inverts tasks with their locations to locations with their tasks.
#include "plan/sharers.hpp"

#include <fmt/format.h>

#include "atoll/base/error.hpp"

namespace Atoll::detail {

void check(const ShareOptions& options, const TaskLocations& tasks) {
  if (!(options.dense_ratio >= 0 && options.dense_ratio <= 1))
    throw Error::input("dense ratio", fmt::format("is {}", options.dense_ratio),
                       "give a share of all tasks, from 0 to 1");
  if (!options.location_weights.empty() && options.location_weights.size() != tasks.location_count)
    throw Error::input(
        "location weights",
        fmt::format("are {} of {}", options.location_weights.size(), tasks.location_count),
        "give each location one, or none at all");
}

Verdict verdict(std::uint64_t sharers, std::uint64_t tasks, const ShareOptions& options) {
  if (sharers < 2) return Verdict::unshared;
  if (static_cast<double>(sharers) > options.dense_ratio * static_cast<double>(tasks))
    return Verdict::dense;
  if (options.max_sharers > 0 && sharers > options.max_sharers) return Verdict::many_sharers;
  return Verdict::counts;
}

void add(ShareReport& report, Verdict verdict, std::uint64_t sharers) {
  if (verdict == Verdict::unshared) return;
  ++report.shared_locations;
  if (verdict == Verdict::counts) {
    report.kept_pairs += sharers;
    report.sharing_pairs += sharers * (sharers - 1) / 2;
    return;
  }
  DroppedLocations& dropped = verdict == Verdict::dense ? report.dense : report.many_sharers;
  ++dropped.locations;
  dropped.pairs += sharers;
}

Sharers find_sharers(const TaskLocations& tasks, const ShareOptions& options, ShareReport& report) {
  check(options, tasks);
  report = {};
  Sharers found;
  // The number of tasks of each location. A task may name a location twice; duplicates count once.
  found.slots.resize(tasks.location_count);
  {
    std::vector<std::uint32_t> last(tasks.location_count, Sharers::kNone);
    for (std::size_t task = 0; task < tasks.tasks(); ++task)
      for (std::uint64_t at = tasks.begin[task]; at < tasks.begin[task + 1]; ++at) {
        const std::uint32_t location = tasks.locations[at];
        if (last[location] == task) continue;
        last[location] = static_cast<std::uint32_t>(task);
        ++found.slots[location];
      }
  }
  std::size_t kept = 0;
  for (const bool to_write : {false, true}) {  // counts first, so that no list has to grow
    if (to_write) found.begin.reserve(kept + 1);
    if (to_write && !options.location_weights.empty()) found.weights.reserve(kept);
    std::uint64_t pairs = 0;
    for (std::uint32_t location = 0; location < tasks.location_count; ++location) {
      const std::uint32_t sharers = found.slots[location];
      const bool weightless =
          !options.location_weights.empty() && options.location_weights[location] == 0;
      const Verdict what =
          weightless ? Verdict::unshared : verdict(sharers, tasks.tasks(), options);
      if (!to_write) {
        add(report, what, sharers);
        kept += what == Verdict::counts;
        continue;
      }
      found.slots[location] = Sharers::kNone;
      if (what != Verdict::counts) continue;
      found.slots[location] = static_cast<std::uint32_t>(found.begin.size());
      found.begin.push_back(pairs);
      pairs += sharers;
      if (!options.location_weights.empty())
        found.weights.push_back(options.location_weights[location]);
    }
    if (to_write) found.begin.push_back(pairs);
  }
  // Each list is filled from its begin, which is advanced to its end, the begin of the next list. A
  // shift by one restores the begins.
  found.tasks.resize(report.kept_pairs);
  std::vector<std::uint64_t>& next = found.begin;
  std::vector<bool> begun(kept);
  for (std::size_t task = 0; task < tasks.tasks(); ++task)
    for (std::uint64_t at = tasks.begin[task]; at < tasks.begin[task + 1]; ++at) {
      const std::uint32_t slot = found.slots[tasks.locations[at]];
      if (slot == Sharers::kNone) continue;
      if (begun[slot] && found.tasks[next[slot] - 1] == task) continue;
      begun[slot] = true;
      found.tasks[next[slot]++] = static_cast<std::uint32_t>(task);
    }
  for (std::size_t slot = kept; slot > 0; --slot) next[slot] = next[slot - 1];
  next[0] = 0;
  return found;
}

}  // namespace Atoll::detail
