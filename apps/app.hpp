// Common code of the programs of the affinity paper [affinity §4]: options, schedules made in the
// program, timing, comparison with the serial result, and the last line of output.
#pragma once

#include <atoll/marks/marks.h>
#include <atoll/atoll.hpp>
#include <atoll/parallel/fingerprint.hpp>
#include <atoll/plan/affinity_graph.hpp>
#include <atoll/plan/predict_schedule.hpp>
#include <atoll/plan/schedule_tasks.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "call.hpp"

namespace app {

struct Options {
  int threads = 0;
  int iterations = 10;
  int rounds = 1;
  bool breadth_first = false;
  bool schedule = false;
  bool always = false;
  bool compare = false;
};

inline void add_times(options::Command app, Options& options) {
  app.add_option("--iterations", options.iterations,
                 "Iterations that a round times (" + std::to_string(options.iterations) + ")")
      .check(value::count(1, 1'000'000'000))
      .type_name("N");
  app.add_option("--rounds", options.rounds, "Rounds; the median counts (1)")
      .check(value::count(1, 10'000))
      .type_name("N");
}
inline void add_options(options::Command app, Options& options) {
  app.add_option("--threads", options.threads, "Threads; 0: one for each core (0)")
      .check(value::count(0, 4096))
      .type_name("N");
  add_times(app, options);
}
/// Adds options for programs that pack their data.
inline void add_order_options(options::Command app, Options& options) {
  const options::Option breadth_first = app.add_flag("--breadth-first", options.breadth_first,
                                                     "Run tasks in breadth-first order, packed");
  app.add_flag("--schedule", options.schedule, "Schedule tasks by what they share, packed")
      .excludes(breadth_first);
  app.add_flag("--always", options.always, "Follow also what is predicted not to pay");
  app.add_flag("--compare", options.compare, "Time the original, too, in turn");
}

/// Returns the tasks in breadth-first order of the graph in which tasks that share a location are
/// adjacent.
inline std::vector<std::uint32_t> breadth_first(const Atoll::TaskLocations& tasks) {
  std::vector<std::uint64_t> begin(tasks.location_count + 1);
  for (const std::uint32_t location : tasks.locations) ++begin[location + 1];
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<std::uint32_t> users(tasks.locations.size());
  std::vector<std::uint64_t> next(begin.begin(), begin.end() - 1);
  for (std::uint32_t task = 0; task < tasks.tasks(); ++task)
    for (std::uint64_t at = tasks.begin[task]; at < tasks.begin[task + 1]; ++at)
      users[next[tasks.locations[at]]++] = task;
  std::vector<bool> queued(tasks.tasks()), met(tasks.location_count);
  std::vector<std::uint32_t> order;
  order.reserve(tasks.tasks());
  for (std::uint32_t start = 0; start < tasks.tasks(); ++start) {
    if (queued[start]) continue;
    queued[start] = true;
    order.push_back(start);
    for (std::size_t head = order.size() - 1; head < order.size(); ++head)
      for (auto at = tasks.begin[order[head]]; at < tasks.begin[order[head] + 1]; ++at) {
        const std::uint32_t location = tasks.locations[at];
        if (met[location]) continue;
        met[location] = true;
        for (std::uint64_t i = begin[location]; i < begin[location + 1]; ++i)
          if (!queued[users[i]]) {
            queued[users[i]] = true;
            order.push_back(users[i]);
          }
      }
  }
  return order;
}

/// Returns a schedule of single iterations in this order, in equal parts for the threads.
inline Atoll::Schedule in_order(const char* loop, std::vector<std::uint32_t> order,
                                const Atoll::Team& team, std::uint64_t fingerprint) {
  const std::uint64_t size = order.size(), threads = team.places().size();
  Atoll::ScheduledLoop scheduled{loop, size, 1, fingerprint, {}, std::move(order)};
  for (std::uint64_t thread = 0; thread <= threads; ++thread)
    scheduled.begin.push_back(size / threads * thread + size % threads * thread / threads);
  return {{team.places().begin(), team.places().end()}, {std::move(scheduled)}};
}

/// Returns the work of each task (its locations and one element), or an empty vector if all have
/// the same.
inline std::vector<std::uint32_t> work_of(const Atoll::TaskLocations& tasks) {
  std::vector<std::uint32_t> work;
  for (std::size_t task = 0; task < tasks.tasks(); ++task)
    work.push_back(static_cast<std::uint32_t>(1 + tasks.begin[task + 1] - tasks.begin[task]));
  return std::ranges::adjacent_find(work, std::ranges::not_equal_to()) == work.end()
             ? std::vector<std::uint32_t>{}
             : work;
}

/// Returns the schedule that the program makes of its tasks if the options request one.
inline std::optional<Atoll::Schedule> make_schedule(
    const Options& options, const char* loop, const Atoll::TaskLocations& tasks,
    const Atoll::Machine& machine, const Atoll::Team& team, std::uint64_t fingerprint,
    const Atoll::PredictOptions& predict, std::vector<std::uint32_t> work,
    bool keep_order = false) {
  if (options.breadth_first) return in_order(loop, breadth_first(tasks), team, fingerprint);
  if (!options.schedule) return std::nullopt;
  Atoll::Schedule schedule = Atoll::schedule_tasks(tasks, machine, team.places(),
                                                   {.loop = loop,
                                                    .fingerprint = fingerprint,
                                                    .work = std::move(work),
                                                    .keep_order = keep_order});
  const auto predicted =
      predict_schedule(tasks, schedule.loops[0], schedule.places, machine, predict);
  (predict.packs ? schedule.loops[0].predicted_packed : schedule.loops[0].predicted) = predicted;
  if (const auto runs = predicted.pays_after())
    std::printf("predicted %.3f, pays after %llu iterations\n", predicted.ratio(),
                static_cast<unsigned long long>(*runs));
  else
    std::printf("predicted %.3f, does not pay\n", predicted.ratio());
  return schedule;
}

/// Returns the lists of the program's own schedule of one loop; null if the prediction is that it
/// saves no time, unless the options request it always.
inline const Atoll::ScheduledLoop* schedule_to_follow(const Atoll::Schedule& schedule,
                                                      const Options& options) {
  const Atoll::ScheduledLoop& loop = schedule.loops[0];
  for (const auto& predicted : {loop.predicted, loop.predicted_packed})
    if (predicted && !predicted->pays() && !options.always) return nullptr;
  return &loop;
}

/// Returns the lists for this loop of single iterations from the schedule that `atoll run
/// --schedule` passed to the program; null if none fits.
inline const Atoll::ScheduledLoop* inherited_lists(const Atoll::Team& team, const char* loop,
                                                   std::uint64_t size, std::uint64_t fingerprint,
                                                   Atoll::LoopData data = Atoll::LoopData::stays) {
  const Atoll::FollowedSchedule* const inherited = Atoll::inherited_schedule();
  return inherited == nullptr
             ? nullptr
             : inherited->lists_for({loop, size, 1, fingerprint}, team.places(), data);
}

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A variant of the computation: run() does one iteration; reset() is called before a round,
/// check() after it.
struct Variant {
  std::string name;
  std::function<void()> reset, run, check;
};

/// Seconds per iteration of each variant: for each round, and the medians.
struct Times {
  std::vector<std::vector<double>> rounds;
  std::vector<double> medians;
};

/// Runs all variants in alternation, and prints the median time per iteration of each. Marks
/// enclose the timed parts.
inline Times time(const std::vector<Variant>& variants, const Options& options) {
  Times times{std::vector<std::vector<double>>(variants.size()), {}};
  for (int round = 0; round < options.rounds; ++round)
    for (std::size_t i = 0; i < variants.size(); ++i) {
      variants[i].reset();
      const Clock::time_point start = Clock::now();
      atoll_mark_begin();
      for (int iteration = 0; iteration < options.iterations; ++iteration) variants[i].run();
      atoll_mark_end();
      times.rounds[i].push_back(seconds_since(start) / options.iterations);
      variants[i].check();
    }
  for (std::size_t i = 0; i < variants.size(); ++i) {
    std::vector<double> seconds = times.rounds[i];
    std::sort(seconds.begin(), seconds.end());
    times.medians.push_back(seconds[seconds.size() / 2]);
    std::printf("%-28s %10.4f ms an iteration\n", variants[i].name.c_str(),
                1e3 * times.medians.back());
  }
  return times;
}

/// Prints the ratio of the last variant's time to the fastest other one: the median of the rounds
/// and its 95 % confidence interval (order statistics, without an assumed distribution).
inline void print_ratio(const char* name, const Times& times) {
  const std::size_t last = times.medians.size() - 1;
  const auto fastest = static_cast<std::size_t>(
      std::min_element(times.medians.begin(), times.medians.end() - 1) - times.medians.begin());
  std::vector<double> ratios;
  for (std::size_t round = 0; round < times.rounds[last].size(); ++round)
    ratios.push_back(times.rounds[last][round] / times.rounds[fastest][round]);
  std::sort(ratios.begin(), ratios.end());
  const auto count = static_cast<double>(ratios.size());
  const auto low = static_cast<std::size_t>(std::max(0.0, (count - 1.96 * std::sqrt(count)) / 2));
  std::printf("%s %.3f (%.3f to %.3f)\n", name, ratios[ratios.size() / 2], ratios[low],
              ratios[ratios.size() - 1 - low]);
}

/// Throws Error (failed) unless the results are equal up to `tolerance` times the largest value.
inline void check_answer(std::span<const double> answer, std::span<const double> expected,
                         double tolerance) {
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!(std::abs(answer[i] - expected[i]) <= tolerance * largest))
      throw Error::failed("answer", "element " + std::to_string(i) + " is " +
                                        std::to_string(answer[i]) + ", the serial one is " +
                                        std::to_string(expected[i]));
}

/// Prints the last line. The checksum weights values by their positions.
template <class T>
void print_checksum(std::span<const T> values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += static_cast<double>(i + 1) * static_cast<double>(values[i]);
  std::printf("checksum %.12g\n", sum);
}

}  // namespace app
