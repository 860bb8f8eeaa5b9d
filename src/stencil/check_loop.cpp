// Checked mode of one loop: runs all points in two orders, checks each access, and compares the
// values written; then runs the loop as in untiled mode.
#include "stencil/check_loop.hpp"

#include <fmt/format.h>

#include <cstring>

#include "atoll/base/error.hpp"
#include "stencil/checker_state.hpp"
#include "stencil/coverage.hpp"
#include "stencil/located_loop.hpp"
#include "stencil/reduce.hpp"

namespace Atoll::stencil {
namespace {

/// Calls work(point) for all points of a range, forwards or backwards.
template <class Work>
void for_points(const Range& range, bool backwards, Work&& work) {
  const auto points = range.points();
  const std::int64_t nx = range.hi[0] - range.lo[0], ny = range.hi[1] - range.lo[1];
  for (std::int64_t p = 0; p < points; ++p) {
    const std::int64_t i = backwards ? points - 1 - p : p;
    work(Index{range.lo[0] + static_cast<int>(i % nx), range.lo[1] + static_cast<int>(i / nx % ny),
               range.lo[2] + static_cast<int>(i / nx / ny)});
  }
}

/// Returns the values, in the loop's range, of all fields that the loop writes.
std::vector<std::byte> written_values(const DeclaredLoop& loop) {
  std::vector<std::byte> values;
  for (const detail::FieldUse& use : loop.fields()) {
    if (use.access == AccessMode::read) continue;
    const std::size_t bytes = bytes_of(use.field->type());
    for_points(loop.range, false, [&](Index at) {
      for (int c = 0; c < use.field->options().components; ++c) {
        const std::byte* const value = use.field->at(at.x, at.y, at.z, c);
        values.insert(values.end(), value, value + bytes);
      }
    });
  }
  return values;
}

void restore_values(const DeclaredLoop& loop, const std::vector<std::byte>& values) {
  const std::byte* next = values.data();
  for (const detail::FieldUse& use : loop.fields()) {
    if (use.access == AccessMode::read) continue;
    const std::size_t bytes = bytes_of(use.field->type());
    for_points(loop.range, false, [&](Index at) {
      for (int c = 0; c < use.field->options().components; ++c, next += bytes)
        std::memcpy(use.field->at(at.x, at.y, at.z, c), next, bytes);
    });
  }
}

/// Throws for the first value whose bits depend on the order of points.
void compare_orders(const DeclaredLoop& loop, const std::vector<std::byte>& forwards,
                    const std::vector<std::byte>& backwards) {
  if (forwards == backwards) return;
  std::size_t next = 0;
  for (const detail::FieldUse& use : loop.fields()) {
    if (use.access == AccessMode::read) continue;
    const std::size_t bytes = bytes_of(use.field->type());
    for_points(loop.range, false, [&](Index at) {
      for (int c = 0; c < use.field->options().components; ++c, next += bytes)
        if (std::memcmp(&forwards[next], &backwards[next], bytes) != 0)
          throw Error::input(
              fmt::format("loop '{}'", loop.name),
              fmt::format("the order of points changes field '{}' at offset (0,0,0), at point "
                          "({},{},{})",
                          use.field->name(), at.x, at.y, at.z),
              "a point must not read what another one of the loop writes");
    });
  }
}

void mark_written(const DeclaredLoop& loop, const std::vector<bool>& copied_nothing) {
  for (const detail::FieldUse& use : loop.fields()) {
    std::size_t point = 0;
    if (use.access != AccessMode::read)
      for_points(loop.range, false, [&](Index at) {
        if (!copied_nothing[point++])
          use.field->written()[detail::Checker::State::position(*use.field, at)] = true;
      });
  }
}

void run_without_checks(const Queued& queued) {
  const DeclaredLoop& loop = *queued.loop;
  LoopResults results(loop, 1);
  results.start();
  const LocatedLoops located(std::span(&queued, 1));
  detail::Worker worker;
  worker.origins = located.all()[0].origins;
  std::vector<std::vector<std::uint64_t>> buffers;
  provide_buffers(worker, buffers, loop);
  results.prepare(worker, 0);
  if (!loop.range.empty()) loop.code->run(queued.body, loop.range, worker);
  results.finish();
}

void check_loop(const Queued& queued, detail::Checker& checker) {
  const DeclaredLoop& loop = *queued.loop;
  detail::Checker::State& state = checker.state();
  state.loop = &loop;
  state.body = queued.body;
  state.reduced.clear();
  for (const detail::ReductionUse& use : loop.reductions())
    state.reduced.emplace_back(static_cast<std::size_t>(use.count));
  const std::vector<std::byte> before = written_values(loop);
  std::array<std::vector<std::byte>, 2> after;
  std::vector<bool> copied_nothing;  // for each point: true if it read a value that was never
                                     // written
  for (const bool backwards : {false, true}) {
    for_points(loop.range, backwards, [&](Index at) {
      state.at = at;
      state.run_point(checker);
      if (!backwards) copied_nothing.push_back(state.reads_unwritten);
    });
    after[backwards ? 1 : 0] = written_values(loop);
    restore_values(loop, before);
  }
  compare_orders(loop, after[0], after[1]);
  run_without_checks(queued);
  mark_written(loop, copied_nothing);
}

}  // namespace

void run_checked(Program::State& state) {
  if (!state.continues) {
    check_temporaries(chain_of(state.queue.all()));
    for (const Queued& queued : state.queue.all())
      for (const detail::FieldUse& use : queued.loop->fields())
        if (use.field->options().temporary)
          use.field->written().assign(use.field->written().size(), false);
  }
  detail::Checker checker;
  std::size_t loop = 0;
  for (const Queued& queued : state.queue.all()) {
    state.record_until(loop++);
    try {
      if (queued.loop->range.empty())
        run_without_checks(queued);
      else
        check_loop(queued, checker);
    } catch (...) {
      state.failure = fmt::format("the loop '{}' failed", queued.loop->name);
      throw;
    }
  }
  state.record_until(loop);
}

}  // namespace Atoll::stencil
