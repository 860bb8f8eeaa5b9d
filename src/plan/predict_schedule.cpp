#include "atoll/plan/predict_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "atoll/base/error.hpp"
#include "plan/memory_price.hpp"

namespace Atoll {
namespace {

constexpr std::uint32_t kNoThread = UINT32_MAX;
/// Cost of an addition in a packed task, which chooses between the array and a private copy of it.
constexpr double kChoiceSeconds = 0.1e-9;
/// Cost of a branch misprediction where the loop over a task's locations ends: their number differs
/// from that of the previous task.
constexpr double kTurnSeconds = 1e-9;
/// Cost of a line that another core has just written, from that core's cache; some transfers
/// overlap.
constexpr double kTransferSeconds = 35e-9;
/// Cost of a task that isn't the next one by number: its index is loaded, then the data at that
/// index. These loads depend on each other, so each takes a second-level cache's latency, plus a
/// branch misprediction.
constexpr double kJumpSeconds = 10e-9;
constexpr std::uint32_t kMaxNeighbours = 64;  ///< tasks whose bytes are in one line

/// One way to run the loop: each thread's tasks, and the positions of locations.
struct LoopExecution {
  std::vector<std::uint64_t> begin;   ///< threads + 1 positions in `tasks`
  std::vector<std::uint32_t> tasks;   ///< thread by thread
  std::vector<std::uint32_t> places;  ///< of each location, in units of location_bytes
  bool is_packed = false;             ///< each task's own data are in the order of the tasks

  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t thread) const {
    return std::span(tasks).subspan(begin[thread], begin[thread + 1] - begin[thread]);
  }
};

class Predictor {
 public:
  Predictor(const TaskLocations& tasks, std::span<const ThreadPlace> places, const Machine& machine,
            const PredictOptions& options)
      : tasks_(tasks),
        threads_(places),
        machine_(machine),
        options_(options),
        caches_(in_use(detail::caches_of(machine))),
        inner_(in_use(detail::inner_caches_of(machine))),
        first_(in_use(detail::first_caches_of(machine))),
        neighbours_(neighbours()),
        shared_(options.packs ? shared() : TaskLocations{}) {}

  [[nodiscard]] SchedulePrediction predict(const ScheduledLoop& loop) const {
    LoopExecution plain{{}, std::vector<std::uint32_t>(tasks_.tasks()), {}};
    std::iota(plain.tasks.begin(), plain.tasks.end(), 0U);
    for (std::size_t thread = 0; thread <= threads_.size(); ++thread)
      plain.begin.push_back(tasks_.tasks() * thread / threads_.size());
    plain.places = placed(as_numbered());

    LoopExecution followed{loop.begin, loop.tasks, plain.places, options_.packs};
    if (options_.packs) followed.places = placed(by_first_use(followed));
    const std::vector<std::uint32_t> users = first_users(plain);
    return {.plain_seconds = slowest(plain, users) + copies_seconds(tasks_.location_count),
            .followed_seconds =
                slowest(followed, options_.packs ? first_users(followed) : users) +
                copies_seconds(options_.packs ? used_by_several(followed) : tasks_.location_count),
            .prepare_seconds = options_.packs ? packing_seconds() : 0};
  }

 private:
  /// Adjusts a cache: a loop with a schedule runs many times, so the cache is warm, and streams
  /// pass through it.
  [[nodiscard]] ReuseCaches in_use(ReuseCaches caches) const {
    caches.streamed_bytes = options_.streamed_bytes;
    caches.are_warm = true;
    return caches;
  }

  /// Returns for each location the number of its tasks, if they are few and consecutive: the
  /// location is then a part of an array that is indexed by the task. Otherwise 0.
  [[nodiscard]] std::vector<std::uint8_t> neighbours() const {
    struct Users {
      std::uint32_t first = kNoThread, last = 0, count = 0;
    };
    std::vector<Users> users(tasks_.location_count);
    for (std::uint32_t task = 0; task < tasks_.tasks(); ++task)
      for (std::uint64_t at = tasks_.begin[task]; at < tasks_.begin[task + 1]; ++at) {
        Users& of = users[tasks_.locations[at]];
        of.first = std::min(of.first, task);
        of.last = task;
        ++of.count;
      }
    std::vector<std::uint8_t> neighbours(users.size());
    for (std::size_t location = 0; location < users.size(); ++location) {
      const Users& of = users[location];
      if (of.count > 0 && of.count <= kMaxNeighbours && of.last - of.first + 1 == of.count)
        neighbours[location] = static_cast<std::uint8_t>(of.count);
    }
    return neighbours;
  }

  /// Returns the locations of each task without those that belong to one task or to consecutive
  /// tasks.
  [[nodiscard]] TaskLocations shared() const {
    TaskLocations shared;
    shared.location_count = tasks_.location_count;
    for (std::uint32_t task = 0; task < tasks_.tasks(); ++task) {
      for (std::uint64_t at = tasks_.begin[task]; at < tasks_.begin[task + 1]; ++at)
        if (neighbours_[tasks_.locations[at]] == 0)
          shared.locations.push_back(tasks_.locations[at]);
      shared.begin.push_back(shared.locations.size());
    }
    return shared;
  }

  [[nodiscard]] std::vector<std::uint32_t> as_numbered() const {
    std::vector<std::uint32_t> order(tasks_.location_count);
    std::iota(order.begin(), order.end(), 0U);
    return order;
  }

  /// Returns the locations in the order of their first use, without unused ones.
  [[nodiscard]] std::vector<std::uint32_t> by_first_use(const LoopExecution& way) const {
    std::vector<std::uint32_t> order;
    std::vector<bool> seen(tasks_.location_count);
    for (const std::uint32_t task : way.tasks)
      for (std::uint64_t at = tasks_.begin[task]; at < tasks_.begin[task + 1]; ++at) {
        const std::uint32_t location = tasks_.locations[at];
        if (!seen[location]) order.push_back(location);
        seen[location] = true;
      }
    return order;
  }

  [[nodiscard]] std::uint32_t size_of(std::uint32_t location) const {
    return options_.location_sizes.empty() ? 1 : options_.location_sizes[location];
  }

  /// Returns the begin of each location if they are stored in this order.
  [[nodiscard]] std::vector<std::uint32_t> placed(const std::vector<std::uint32_t>& order) const {
    std::vector<std::uint32_t> places(tasks_.location_count);
    std::uint64_t at = 0;
    for (const std::uint32_t location : order) {
      places[location] = static_cast<std::uint32_t>(std::min<std::uint64_t>(at, kNoThread));
      at += size_of(location);
    }
    return places;
  }

  /// Returns, for each location, the thread that touches it first, which decides its node.
  [[nodiscard]] std::vector<std::uint32_t> first_users(const LoopExecution& way) const {
    std::vector<std::uint32_t> users(tasks_.location_count, kNoThread);
    for (std::size_t thread = 0; thread < threads_.size(); ++thread)
      for (const std::uint32_t task : way.of(thread))
        for (std::uint64_t at = tasks_.begin[task]; at < tasks_.begin[task + 1]; ++at) {
          std::uint32_t& user = users[tasks_.locations[at]];
          if (user == kNoThread) user = static_cast<std::uint32_t>(thread);
        }
    return users;
  }

  [[nodiscard]] NodeId memory_of(std::size_t thread) const {
    return machine_.order(threads_[thread].node, Ordering::latency).front();
  }

  /// Returns the lines that one thread fetches of its tasks' own data.
  [[nodiscard]] double own_misses(std::span<const std::uint32_t> own) const {
    const double lines =
        static_cast<double>(options_.own_bytes) / static_cast<double>(caches_.line_bytes);
    // Later lines of a task are prefetched.
    return lines == 0 ? 0 : jumps(own) * std::max(1.0, lines);
  }

  /// Returns the number of tasks that don't follow the previous one, for data in the order of the
  /// tasks' numbers.
  [[nodiscard]] static double jumps(std::span<const std::uint32_t> own) {
    double jumps = 0;
    for (std::size_t i = 1; i < own.size(); ++i) jumps += own[i] == own[i - 1] + 1 ? 0 : 1;
    return jumps;
  }

  /// Returns the time of `jumps` jumps. Each waits for the first line of its task. Assumes that the
  /// misses of each cache level include as many of these lines as possible.
  [[nodiscard]] double jump_seconds(double jumps, double inner_waits, double waits,
                                    double memory_seconds) const {
    const double l3 = 1e-9 * machine_.hardware()[HardwareFigure::l3_latency].value;
    return jumps * kJumpSeconds + std::min(jumps, inner_waits) * l3 +
           std::min(jumps, waits) * memory_seconds * detail::kOverlap;
  }

  [[nodiscard]] double seconds_of(const LoopExecution& way, std::size_t thread,
                                  std::span<const std::uint32_t> users) const {
    const auto own = way.of(thread);
    const NodeId here = threads_[thread].node;
    double all = 0, accesses = 0, further = 0, latency = 0, own_bytes = 0, turns = 0;
    double computing = 0;
    std::uint64_t length_before = 0;
    for (const std::uint32_t task : own) {
      const std::uint64_t begin = tasks_.begin[task], end = tasks_.begin[task + 1];
      turns += end - begin == length_before ? 0 : 1;
      length_before = end - begin;
      computing += options_.task_seconds.empty() ? 0 : options_.task_seconds[task];
      for (std::uint64_t at = begin; at < end; ++at) {
        ++all;
        latency += detail::miss_seconds(machine_, here, memory_of(users[tasks_.locations[at]]));
        const std::uint8_t neighbours = neighbours_[tasks_.locations[at]];
        if (neighbours == 0) {
          ++accesses;
          further += size_of(tasks_.locations[at]) - 1;
        } else {
          own_bytes += static_cast<double>(size_of(tasks_.locations[at])) *
                       options_.location_bytes / neighbours;
        }
      }
    }
    const double near = detail::miss_seconds(machine_, here, memory_of(thread));
    const double mean = all == 0 ? near : latency / all;
    const TaskLocations& uses = way.is_packed ? shared_ : tasks_;
    const LocationPlaces lie{way.places, options_.location_sizes};
    const ReuseEstimate reuse = estimate_reuse(uses, own, options_.location_bytes, caches_, lie);
    const ReuseEstimate inner = estimate_reuse(uses, own, options_.location_bytes, inner_, lie);
    const ReuseEstimate first = estimate_reuse(uses, own, options_.location_bytes, first_, lie);
    // Without packing, tasks' own locations are among the estimated lines.
    const double lines = reuse.streamed_lines * static_cast<double>(caches_.line_bytes);
    const double streamed = accesses * options_.streamed_bytes + further * options_.location_bytes +
                            static_cast<double>(own.size()) * options_.own_bytes +
                            (way.is_packed ? own_bytes + lines : std::max(own_bytes, lines));
    const double waits = reuse.line_misses - reuse.streamed_lines;
    const double inner_waits = std::max(0.0, inner.line_misses - inner.streamed_lines - waits);
    const double first_waits =
        std::max(0.0, first.line_misses - first.streamed_lines - waits - inner_waits);
    const bool chooses = way.is_packed && options_.added_bytes > 0 && threads_.size() > 1;
    const double jumping = way.is_packed ? 0 : jump_seconds(jumps(own), inner_waits, waits, mean);
    return computing + jumping + (way.is_packed ? 0 : own_misses(own) * near) + waits * mean +
           inner_waits * detail::kInnerMissSeconds + first_waits * detail::kFirstMissSeconds +
           (chooses ? accesses * kChoiceSeconds : 0) + turns * kTurnSeconds +
           reuse.tlb_misses * detail::kWalkSeconds +
           detail::stream_seconds(streamed, static_cast<double>(caches_.cache_bytes), machine_,
                                  here, memory_of(thread));
  }

  [[nodiscard]] bool fits(double bytes) const {
    return bytes <= static_cast<double>(caches_.cache_bytes);
  }

  [[nodiscard]] double slowest(const LoopExecution& way,
                               std::span<const std::uint32_t> users) const {
    double most = 0;
    for (std::size_t thread = 0; thread < threads_.size(); ++thread)
      most = std::max(most, seconds_of(way, thread, users));
    return most;
  }

  [[nodiscard]] std::size_t used_by_several(const LoopExecution& way) const {
    std::vector<std::uint32_t> users(tasks_.location_count, kNoThread);
    std::vector<bool> several(tasks_.location_count);
    for (std::uint32_t thread = 0; thread < threads_.size(); ++thread)
      for (const std::uint32_t task : way.of(thread))
        for (std::uint64_t at = tasks_.begin[task]; at < tasks_.begin[task + 1]; ++at) {
          std::uint32_t& user = users[tasks_.locations[at]];
          if (user == kNoThread) user = thread;
          if (user != thread) several[tasks_.locations[at]] = true;
        }
    return static_cast<std::size_t>(std::ranges::count(several, true));
  }

  /// Returns the time to sum the threads' private copies of `locations` locations: all threads
  /// together read them and reset them to 0. If the copies are in the threads' caches, all lines
  /// except the thread's own are transferred from another core, and back when that core adds to
  /// them again.
  [[nodiscard]] double copies_seconds(std::size_t locations) const {
    if (threads_.size() < 2) return 0;
    const NodeId here = threads_.front().node;
    const double bytes = static_cast<double>(locations) * options_.added_bytes;
    const double others = 1 - 1 / static_cast<double>(threads_.size());
    if (fits(bytes))
      return 2 * others * bytes / static_cast<double>(caches_.line_bytes) * kTransferSeconds;
    return 2 * bytes / detail::streamed_bytes_per_second(machine_, here, memory_of(0));
  }

  /// Returns the time to pack: all threads together read each location and each task's own bytes at
  /// the old position and write them to the new one, once.
  [[nodiscard]] double packing_seconds() const {
    std::uint64_t sizes = tasks_.location_count;
    if (!options_.location_sizes.empty())
      sizes = std::accumulate(options_.location_sizes.begin(), options_.location_sizes.end(),
                              std::uint64_t{0});
    const double bytes = static_cast<double>(sizes) * options_.location_bytes +
                         static_cast<double>(tasks_.tasks()) * options_.own_bytes;
    const double moves = static_cast<double>(tasks_.location_count) +
                         (options_.own_bytes > 0 ? static_cast<double>(tasks_.tasks()) : 0.0);
    const NodeId here = threads_.front().node, memory = memory_of(0);
    return (2 * bytes / detail::streamed_bytes_per_second(machine_, here, memory) +
            moves * detail::miss_seconds(machine_, here, memory)) /
           static_cast<double>(threads_.size());
  }

  const TaskLocations& tasks_;
  std::span<const ThreadPlace> threads_;
  const Machine& machine_;
  const PredictOptions& options_;
  ReuseCaches caches_, inner_, first_;
  std::vector<std::uint8_t> neighbours_;
  TaskLocations shared_;
};

}  // namespace

SchedulePrediction predict_schedule(const TaskLocations& tasks, const ScheduledLoop& loop,
                                    std::span<const ThreadPlace> places, const Machine& machine,
                                    const PredictOptions& options) {
  check(tasks, "tasks");
  check(loop, places.size(), "prediction");
  if (loop.tasks.size() != tasks.tasks())
    throw Error::input(
        fmt::format("loop '{}'", loop.name),
        fmt::format("has {} tasks, and what {} use is known", loop.tasks.size(), tasks.tasks()));
  if (!options.location_sizes.empty() && options.location_sizes.size() != tasks.location_count)
    throw Error::input("location sizes",
                       fmt::format("are given of {} locations of {}", options.location_sizes.size(),
                                   tasks.location_count));
  if (!options.task_seconds.empty() && options.task_seconds.size() != tasks.tasks())
    throw Error::input("task seconds", fmt::format("are given of {} tasks of {}",
                                                   options.task_seconds.size(), tasks.tasks()));
  return Predictor(tasks, places, machine, options).predict(loop);
}

}  // namespace Atoll
