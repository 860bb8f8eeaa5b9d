// Running the queue as a chain: each thread runs its groups of tiles, and waits only for the groups
// that they depend on.
#include "stencil/run.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "atoll/base/error.hpp"
#include "stencil/check_loop.hpp"
#include "stencil/reduce.hpp"
#include "stencil/wait.hpp"

namespace Atoll::stencil {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One run of a plan.
class Run {
 public:
  Run(Program::State& state, const Plan& plan)
      : queue_(state.queue), plan_(plan), team_(state.context->team), timed_(state.options.report) {
    const int threads = team_.size();
    results_.resize(queue_.size());
    for (std::size_t l = 0; l < queue_.size(); ++l)
      if (!queue_[l].reductions.empty()) results_[l].emplace(queue_[l], threads);
    threads_ = std::vector<Thread>(static_cast<std::size_t>(threads));
    if (timed_)
      for (Thread& thread : threads_) thread.seconds.resize(queue_.size());
    std::size_t groups = 0;
    for (const Plan::Segment& segment : plan.segments) groups += segment.groups.size();
    done_ = std::vector<std::atomic<bool>>(groups);
    meeting_.emplace(threads);
  }

  /// Throws what a kernel threw.
  void run() {
    team_.run([this](int thread) { run_thread(thread); });
    if (failure_) std::rethrow_exception(failure_);
    for (auto& results : results_)
      if (results) results->finish();
  }

  /// The loop whose kernel threw.
  [[nodiscard]] std::size_t failed_loop() const { return failed_loop_; }
  [[nodiscard]] std::uint64_t tiles() const {
    std::uint64_t tiles = 0;
    for (const Thread& thread : threads_) tiles += thread.tiles;
    return tiles;
  }
  /// All threads' seconds in a loop.
  [[nodiscard]] double seconds(std::size_t loop) const {
    double seconds = 0;
    for (const Thread& thread : threads_) seconds += thread.seconds[loop];
    return seconds;
  }

 private:
  struct alignas(64) Thread {
    int number = 0;
    detail::Worker worker;
    std::vector<std::vector<std::uint64_t>> buffers;
    std::vector<double> seconds;
    std::uint64_t tiles = 0;
    std::size_t loop = 0;  ///< that it is in
  };

  void run_thread(int number) {
    Thread& mine = threads_[static_cast<std::size_t>(number)];
    mine.number = number;
    try {
      std::size_t first_group = 0;
      for (std::size_t s = 0; s < plan_.segments.size(); ++s) {
        const Plan::Segment& segment = plan_.segments[s];
        for (std::size_t g = 0; g < segment.groups.size(); ++g) {
          const Plan::Group& group = segment.groups[g];
          if (group.thread != number) continue;
          for (const int before : group.after)
            wait_until([&] {
              return done_[first_group + static_cast<std::size_t>(before)].load(
                         std::memory_order_acquire) ||
                     stop_.load(std::memory_order_relaxed);
            });
          if (stop_.load(std::memory_order_relaxed)) return;
          run_group(mine, segment, group);
          done_[first_group + g].store(true, std::memory_order_release);
        }
        first_group += segment.groups.size();
        if (s + 1 < plan_.segments.size() && !meeting_->meet(stop_)) return;
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) {
        failure_ = std::current_exception();
        failed_loop_ = mine.loop;
      }
      stop_.store(true, std::memory_order_relaxed);
    }
  }

  void run_group(Thread& mine, const Plan::Segment& segment, const Plan::Group& group) {
    for (int a = group.first; a < group.end; ++a)
      for (int b = 0; b < segment.tiles[1]; ++b)
        for (int c = 0; c < segment.tiles[2]; ++c) {
          if (stop_.load(std::memory_order_relaxed)) return;
          team_.check_stop();
          run_tile(mine, segment, {a, b, c});
        }
  }

  void run_tile(Thread& mine, const Plan::Segment& segment,
                const std::array<int, kMaxDimensions>& tile) {
    Clock::time_point start;
    if (timed_) start = Clock::now();
    bool any = false;
    for (int l = segment.first; l < segment.end; ++l) {
      const auto loop = static_cast<std::size_t>(l);
      std::array<const Plan::Interval*, kMaxDimensions> from{}, to{};
      bool empty = false;
      for (std::size_t level = 0; level < kMaxDimensions; ++level) {
        const Plan::Cut& cut = plan_.loops[loop][level];
        const auto t = static_cast<std::size_t>(tile[level]);
        from[level] = cut.intervals.data() + cut.first[t];
        to[level] = cut.intervals.data() + cut.first[t + 1];
        empty = empty || from[level] == to[level];
      }
      if (empty) continue;
      any = true;
      run_boxes(mine, loop, from, to);
      if (timed_) {
        const Clock::time_point end = Clock::now();
        mine.seconds[loop] += std::chrono::duration<double>(end - start).count();
        start = end;
      }
    }
    mine.tiles += any;
  }

  void run_boxes(Thread& mine, std::size_t l,
                 const std::array<const Plan::Interval*, kMaxDimensions>& from,
                 const std::array<const Plan::Interval*, kMaxDimensions>& to) {
    const Queued& loop = queue_[l];
    mine.loop = l;
    if (results_[l]) {
      give_buffers(mine.worker, mine.buffers, loop);
      results_[l]->prepare(mine.worker, mine.number);
    }
    const int dimensions = loop.mesh->dimensions();
    Range box;
    const auto set = [&](int level, const Plan::Interval& interval) {
      if (level >= dimensions) return;
      const auto d = static_cast<std::size_t>(dimensions - 1 - level);
      box.lo[d] = interval.lo;
      box.hi[d] = interval.hi;
    };
    for (const Plan::Interval* a = from[0]; a != to[0]; ++a) {
      set(0, *a);
      for (const Plan::Interval* b = from[1]; b != to[1]; ++b) {
        set(1, *b);
        for (const Plan::Interval* c = from[2]; c != to[2]; ++c) {
          set(2, *c);
          loop.code->run(loop.body, box, mine.worker);
        }
      }
    }
  }

  const std::vector<Queued>& queue_;
  const Plan& plan_;
  const Team& team_;
  bool timed_;
  std::vector<std::optional<LoopResults>> results_;
  std::vector<Thread> threads_;
  std::vector<std::atomic<bool>> done_;
  std::optional<Meeting> meeting_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::size_t failed_loop_ = 0;
};

/// Elements that a loop reads and writes, by the rule of the paper's §5.1.
std::uint64_t bytes_of_loop(const Queued& loop) {
  std::uint64_t bytes = 0;
  for (const detail::FieldUse& use : loop.fields) {
    Range range = loop.range;
    for (std::size_t d = 0; d < kMaxDimensions; ++d)
      if (use.field->flat(static_cast<int>(d)))
        range.hi[d] = std::min(range.hi[d], range.lo[d] + 1);
    const bool both = use.access == Access::read_write || use.access == Access::increment;
    bytes += static_cast<std::uint64_t>(range.points()) * bytes_of(use.field->type()) *
             static_cast<std::uint64_t>(use.field->options().components) * (both ? 2 : 1);
  }
  return bytes;
}

void note_times(Program::State& state, KnownChain& known, const Run& run) {
  std::vector<int>& rows = known.report_rows();
  if (rows.empty())
    for (const Queued& loop : state.queue) {
      const auto found = std::ranges::find(state.loops, *loop.name, &LoopReport::name);
      rows.push_back(static_cast<int>(found - state.loops.begin()));
      if (found == state.loops.end()) state.loops.push_back({*loop.name, 0, 0, 0, 0});
    }
  for (std::size_t l = 0; l < state.queue.size(); ++l) {
    LoopReport& row = state.loops[static_cast<std::size_t>(rows[l])];
    ++row.calls;
    row.points += static_cast<std::uint64_t>(state.queue[l].range.points());
    row.bytes += bytes_of_loop(state.queue[l]);
    row.seconds += run.seconds(l);
  }
}

void run_planned(Program::State& state) {
  const Clock::time_point start = Clock::now();
  const double planned_before = state.plans.plan_seconds();
  KnownChain& known = state.plans.find(
      state.queue, {state.context->team.size(), state.options.mode, state.options.tile},
      state.context->machine.caches());
  state.last = &known;
  state.last_plan = &known.plan();
  state.counters.queue_seconds +=
      seconds_since(start) - (state.plans.plan_seconds() - planned_before);
  const Clock::time_point begin = Clock::now();
  Run run(state, known.plan());
  try {
    run.run();
  } catch (...) {
    state.void_because = *state.queue[run.failed_loop()].name;
    throw;
  }
  const double seconds = seconds_since(begin);
  state.counters.run_seconds += seconds;
  state.counters.tiles += run.tiles();
  if (state.options.report) note_times(state, known, run);
  known.ran(seconds);
}

}  // namespace

void run_queue(Program::State& state) {
  ++state.counters.chains;
  state.counters.loops += state.queue.size();
  try {
    if (state.options.mode == Mode::checked)
      run_checked(state);
    else
      run_planned(state);
  } catch (...) {
    state.drop_queue();
    throw;
  }
  state.drop_queue();
}

}  // namespace Atoll::stencil
