// Data in the order of a schedule (docs/tasks.md). A schedule's lists alone make a loop access
// arrays out of order, which is slower if the arrays exceed the cache. So arrays that are indexed
// by iteration are packed: by thread, then in the thread's order of execution. A packed loop is a
// plain one, with a part for each thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/parallel/for_each_task.hpp"
#include "atoll/plan/layout.hpp"
#include "atoll/plan/schedule.hpp"
#include "atoll/threads/team.hpp"

namespace Atoll {

/// The permutation between a scheduled loop's iterations and their positions in packed arrays, both
/// in [0, size()). Functions run on the given team: each thread packs its own part, so it touches
/// that memory first.
class Packing {
 public:
  /// A range of positions, [begin, end).
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// Keeps references to both arguments. Throws Error (input) if the loop fails check() or doesn't
  /// have a list for each thread of the team.
  Packing(const Team& team, const ScheduledLoop& loop);

  [[nodiscard]] const Team& team() const { return *team_; }
  [[nodiscard]] const ScheduledLoop& loop() const { return *loop_; }
  [[nodiscard]] std::size_t size() const { return loop_->iterations; }
  /// Returns the positions of one thread's iterations.
  [[nodiscard]] Part part(std::size_t thread) const {
    return {begin_of(loop_->begin[thread]), begin_of(loop_->begin[thread + 1])};
  }
  /// Calls visit(position, iteration) for the thread's positions in ascending order.
  template <class Visit>
  void for_each_position(std::size_t thread, Visit&& visit) const {
    std::size_t position = part(thread).begin;
    for (const std::uint32_t task : loop_->of(thread))
      for (std::size_t i = loop_->chunk * task,
                       end = i + std::min<std::size_t>(loop_->chunk, size() - i);
           i < end; ++i, ++position)
        visit(position, i);
  }

  /// Returns the layout of a packed array: each part on its thread's node.
  [[nodiscard]] Partitioned layout() const;
  /// Returns the layout of an array from pack_begins(): as layout(), with one more element at the
  /// end.
  [[nodiscard]] Partitioned layout_of_begins() const;
  /// Returns the layout of packed rows: as layout(), with each position replaced by its row,
  /// delimited by `begins`.
  template <class Offset>
  [[nodiscard]] Partitioned layout_of_rows(std::span<const Offset> begins) const {
    Partitioned layout = Packing::layout();
    for (std::uint64_t& end : layout.ends) end = begins[end];
    return layout;
  }

  /// Sets to[position] = from[iteration] for all iterations. Both spans have size() elements and
  /// don't overlap.
  template <class T>
  void pack(std::span<const T> from, std::span<T> to) const {
    check_size(from.size(), size());
    check_size(to.size(), size());
    team().run([&](int thread) {
      for_each_position(static_cast<std::size_t>(thread),
                        [&](std::size_t position, std::size_t i) { to[position] = from[i]; });
    });
  }
  /// Sets to[iteration] = from[position] for all iterations.
  template <class T>
  void unpack(std::span<const T> from, std::span<T> to) const {
    check_size(from.size(), size());
    check_size(to.size(), size());
    team().run([&](int thread) {
      for_each_position(static_cast<std::size_t>(thread),
                        [&](std::size_t position, std::size_t i) { to[i] = from[position]; });
    });
  }

  /// Packs row offsets. Row i consists of elements begins[i] … begins[i + 1] - 1 of some arrays.
  /// Sets `to` to the size() + 1 offsets of the packed rows, starting with 0.
  template <class Offset>
  void pack_begins(std::span<const Offset> begins, std::span<Offset> to) const {
    check_size(begins.size(), size() + 1);
    check_size(to.size(), size() + 1);
    std::vector<Offset> first(static_cast<std::size_t>(team().size()) + 1);  // offsets of parts
    team().run([&](int thread) {
      Offset elements = 0;
      for_each_position(static_cast<std::size_t>(thread), [&](std::size_t, std::size_t i) {
        elements = static_cast<Offset>(elements + begins[i + 1] - begins[i]);
      });
      first[static_cast<std::size_t>(thread) + 1] = elements;
    });
    for (std::size_t thread = 1; thread < first.size(); ++thread)
      first[thread] = static_cast<Offset>(first[thread] + first[thread - 1]);
    to[0] = 0;
    team().run([&](int thread) {
      Offset end = first[static_cast<std::size_t>(thread)];
      for_each_position(static_cast<std::size_t>(thread), [&](std::size_t position, std::size_t i) {
        end = static_cast<Offset>(end + begins[i + 1] - begins[i]);
        to[position + 1] = end;
      });
    });
  }
  /// Packs the elements of rows. `packed` is the result of pack_begins() for `begins`.
  template <class Offset, class T>
  void pack_rows(std::span<const Offset> begins, std::span<const Offset> packed,
                 std::span<const T> from, std::span<T> to) const {
    check_size(begins.size(), size() + 1);
    check_size(packed.size(), size() + 1);
    check_size(from.size(), begins[size()]);
    check_size(to.size(), packed[size()]);
    team().run([&](int thread) {
      for_each_position(static_cast<std::size_t>(thread), [&](std::size_t position, std::size_t i) {
        std::copy(from.data() + begins[i], from.data() + begins[i + 1],
                  to.data() + packed[position]);
      });
    });
  }

 private:
  /// Returns the position of the first iteration of the task at index `place` of the loop's lists.
  [[nodiscard]] std::size_t begin_of(std::size_t place) const {
    return place * loop_->chunk - (place > short_task_ ? missing_ : 0);
  }
  /// Throws Error (input) if the sizes differ.
  static void check_size(std::size_t size, std::size_t expected);

  const Team* team_;
  const ScheduledLoop* loop_;
  std::size_t short_task_ = 0;  ///< index of the last task in the loop's lists
  std::size_t missing_ = 0;     ///< number of iterations that the last task lacks
};

/// Runs a packed loop: calls body(begin, end, thread) for up to 1024 positions, in ascending order;
/// each thread runs its own part. With an observer, each call is one task.
template <class Body>
void for_each_packed(const Packing& packing, Body&& body,
                     TaskObserver* observer = process_task_observer()) {
  const ScheduledLoop& scheduled = packing.loop();
  const TaskLoop loop{scheduled.name.c_str(), scheduled.iterations, scheduled.chunk,
                      scheduled.fingerprint};
  if (observer != nullptr) observer->loop(loop);
  packing.team().run([&](int which) {
    const auto thread = static_cast<std::size_t>(which);
    Packing::Part rest = packing.part(thread);
    if (observer != nullptr) {
      for (const std::uint32_t task : scheduled.of(thread)) {
        packing.team().check_stop();
        const detail::ObservedTask observed(*observer, loop, task);
        const std::size_t end = rest.begin + (loop.end_of(task) - loop.begin_of(task));
        body(rest.begin, end, thread);
        rest.begin = end;
      }
    } else {
      while (rest.begin < rest.end) {
        packing.team().check_stop();
        const std::size_t end = rest.begin + std::min(kLoopChunk, rest.end - rest.begin);
        body(rest.begin, end, thread);
        rest.begin = end;
      }
    }
  });
}

}  // namespace Atoll
