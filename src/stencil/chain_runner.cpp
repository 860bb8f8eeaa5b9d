// Execution by one thread: its groups of tiles, the tiles of a group, the loops of a tile, the
// boxes of a loop.
#include "stencil/chain_runner.hpp"

#include <chrono>
#include <cstring>
#include <set>

#include "atoll/stencil/boundary.hpp"

namespace Atoll::stencil {
namespace {

using Clock = std::chrono::steady_clock;

/// Number of polls before a waiting thread sleeps: about a millisecond, because waking a thread may
/// take long on a virtual machine. 0 if threads share a processing unit, because polling would
/// delay the other thread.
int polls_of(const Team& team) {
  constexpr int kPolls = 50000;
  std::set<int> units;
  for (const auto& place : team.places()) units.insert(place.pu);
  return units.size() == team.places().size() ? kPolls : 0;
}

/// Runs a loop of periodic() in the outermost dimension, whose source is elsewhere.
void copy_from_other_end(const LocatedLoop& located, const DeclaredLoop& declared,
                         const Range& box) {
  const auto& loop = static_cast<const detail::BoundaryLoop&>(declared);
  const FieldStorage& field = *loop.use.field;
  const Offset from = detail::offset_along(loop.face.dimension, loop.layers.distance);
  const std::size_t bytes =
      bytes_of(field.type()) * static_cast<std::size_t>(box.hi[0] - box.lo[0]);
  for (int z = box.lo[2]; z < box.hi[2]; ++z)
    for (int y = box.lo[1]; y < box.hi[1]; ++y)
      for (int c = 0; c < field.options().components; ++c)
        std::memcpy(located.origins[0] + field.distance(box.lo[0], y, z, c),
                    located.source + field.distance(box.lo[0] + from.x, y + from.y, z + from.z, c),
                    bytes);
}

}  // namespace

ChainRunner::ChainRunner(const Team& team, bool timed)
    : team_(team),
      timed_(timed),
      polls_(polls_of(team)),
      threads_(static_cast<std::size_t>(team.size())),
      barrier_(team.size(), polls_) {
  for (std::size_t thread = 0; thread < threads_.size(); ++thread)
    threads_[thread].number = static_cast<int>(thread);
}

void ChainRunner::begin(std::span<const Queued> queue,
                        std::vector<std::unique_ptr<LoopResults>>& results) {
  queue_ = queue;
  results_ = &results;
  for (Thread& thread : threads_) {
    thread.tiles = 0;
    if (timed_) thread.seconds.assign(queue.size(), 0);
  }
  for (std::unique_ptr<LoopResults>& result : results)
    if (result) result->start();
}

void ChainRunner::run(const Plan& plan, std::span<const LocatedLoop> loops, int base) {
  plan_ = &plan;
  loops_ = loops;
  base_ = base;
  ++number_;
  std::size_t groups = 0;
  for (const Plan::Segment& segment : plan.segments) groups += segment.tiling->groups.size();
  if (done_.size() < groups) done_ = std::vector<Word>(groups);
  team_.run([this](int thread) { run_thread(threads_[static_cast<std::size_t>(thread)]); });
  if (failure_) std::rethrow_exception(failure_);
}

std::uint64_t ChainRunner::tiles() const {
  std::uint64_t tiles = 0;
  for (const Thread& thread : threads_) tiles += thread.tiles;
  return tiles;
}

double ChainRunner::seconds(std::size_t loop) const {
  double seconds = 0;
  for (const Thread& thread : threads_) seconds += thread.seconds[loop];
  return seconds;
}

void ChainRunner::run_thread(Thread& mine) {
  try {
    std::size_t first_group = 0;
    for (std::size_t s = 0; s < plan_->segments.size(); ++s) {
      const Plan::Segment& segment = plan_->segments[s];
      if (!run_segment(mine, segment, first_group)) return;
      first_group += segment.tiling->groups.size();
      if (s + 1 < plan_->segments.size() && !barrier_.arrive_and_wait(stop_)) return;
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) {
      failure_ = std::current_exception();
      failed_loop_ = mine.loop;
    }
    stop_all();
  }
}

/// Also wakes all waiting threads.
void ChainRunner::stop_all() {
  stop_ = true;
  for (Word& done : done_) set_and_wake(done, number_);
  barrier_.release();
}

bool ChainRunner::run_segment(Thread& mine, const Plan::Segment& segment, std::size_t first_group) {
  const std::vector<Plan::Group>& groups = segment.tiling->groups;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Plan::Group& group = groups[g];
    if (group.thread != mine.number) continue;
    for (const int before : group.after) {
      const Word& done = done_[first_group + static_cast<std::size_t>(before)];
      for (std::uint32_t now; (now = done.load(std::memory_order_acquire)) != number_;)
        wait_while(done, now, polls_);
    }
    if (stop_.load(std::memory_order_relaxed)) return false;
    run_group(mine, segment, group);
    set_and_wake(done_[first_group + g], number_);
  }
  return true;
}

void ChainRunner::run_group(Thread& mine, const Plan::Segment& segment, const Plan::Group& group) {
  for (int a = group.first[0]; a < group.end[0]; ++a)
    for (int b = group.first[1]; b < group.end[1]; ++b)
      for (int c = group.first[2]; c < group.end[2]; ++c) {
        if (stop_.load(std::memory_order_relaxed)) return;
        team_.check_stop();
        run_tile(mine, segment, {a, b, c});
      }
}

void ChainRunner::run_tile(Thread& mine, const Plan::Segment& segment,
                           const std::array<int, kMaxDimensions>& tile) {
  Clock::time_point start;
  if (timed_) start = Clock::now();
  bool any = false;
  for (int l = segment.first; l < segment.end; ++l) {
    const LocatedLoop& loop = loops_[static_cast<std::size_t>(l)];
    Tile part;
    bool empty = false;
    for (std::size_t level = 0; level < kMaxDimensions; ++level) {
      part[level] = segment.cuts(l)[level].of(tile[level]);
      empty = empty || part[level].intervals.empty();
    }
    if (empty) continue;
    any = true;
    run_boxes(mine, loop, part);
    if (timed_) {
      const Clock::time_point end = Clock::now();
      mine.seconds[loop.number] += std::chrono::duration<double>(end - start).count();
      start = end;
    }
  }
  mine.tiles += any;
}

void ChainRunner::run_boxes(Thread& mine, const LocatedLoop& located, const Tile& tile) {
  const Queued& queued = queue_[located.number];
  const DeclaredLoop& loop = *queued.loop;
  mine.loop = located.number;
  mine.worker.origins = located.origins;
  if (loop.code->reductions > 0) {
    provide_buffers(mine.worker, mine.buffers, loop);
    (*results_)[located.number]->prepare(mine.worker, mine.number);
  }
  const int dimensions = loop.mesh->dimensions();
  Range box;
  const auto set = [&](int level, const Plan::Interval& interval) {
    if (level >= dimensions) return;
    const auto d = static_cast<std::size_t>(dimensions - 1 - level);
    const int shift = tile[static_cast<std::size_t>(level)].shift + (level == 0 ? base_ : 0);
    box.lo[d] = interval.lo + shift;
    box.hi[d] = interval.hi + shift;
  };
  for (const Plan::Interval& a : tile[0].intervals) {
    set(0, a);
    for (const Plan::Interval& b : tile[1].intervals) {
      set(1, b);
      for (const Plan::Interval& c : tile[2].intervals) {
        set(2, c);
        if (located.source == nullptr)
          loop.code->run(queued.body, box, mine.worker);
        else
          copy_from_other_end(located, loop, box);
      }
    }
  }
}

}  // namespace Atoll::stencil
