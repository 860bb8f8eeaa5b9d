// Runs the queue as a chain: recognises or plans it, runs it, and records times.
#include "stencil/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stencil/check_loop.hpp"
#include "stencil/rounds.hpp"
#include "stencil/traffic.hpp"

namespace Atoll::stencil {
namespace {

using Clock = std::chrono::steady_clock;

void record_times(Program::State& state, CachedChain& known, std::span<const Queued> queue) {
  std::vector<int>& rows = known.report_rows();
  if (rows.empty())
    for (const Queued& queued : queue) {
      const std::string_view name = queued.loop->name;
      const auto found = std::ranges::find(state.loops, name, &LoopReport::name);
      rows.push_back(static_cast<int>(found - state.loops.begin()));
      if (found == state.loops.end()) state.loops.push_back({std::string(name), 0, 0, 0, 0});
    }
  for (std::size_t l = 0; l < queue.size(); ++l) {
    LoopReport& row = state.loops[static_cast<std::size_t>(rows[l])];
    ++row.calls;
    row.points += static_cast<std::uint64_t>(queue[l].loop->range.points());
    row.bytes += bytes_of(known.chain(), known.chain().loops[l]);
    row.seconds += state.runner->seconds(l);
  }
}

/// Runs loops of the queue, from number `first` on, as a chain.
void run_chain(Program::State& state, std::span<const Queued> queue, std::size_t first,
               bool is_round) {
  // Later chains may read temporary fields if the program hasn't asked for a result.
  const bool continues = state.is_full() || first + queue.size() < state.queue.size();
  CachedChain* const expected =
      queue.size() == state.queue.size() ? state.queue.expected() : nullptr;
  PlanOptions options;
  options.threads = state.context->team.size();
  options.mode = state.options.mode;
  options.tile = state.options.tile;
  const TileCaches caches = tile_caches(state.context->machine);
  const bool streams = state.streams();
  CachedChain& known =
      streams ? state.plans.find_without_plan(queue, expected, options, caches, is_round)
              : state.plans.find(queue, expected, options, caches, is_round);
  known.check_temporaries(state.written);
  if (state.last != nullptr) state.last->set_next(known);
  state.last = &known;
  state.last_plan = streams ? nullptr : &known.plan();
  const std::shared_ptr<StreamedChain> streamed =
      streams ? state.streaming->prepare(known, continues, options, caches) : nullptr;
  ChainRunner& runner = *state.runner;
  runner.begin(queue, known.results());
  const Clock::time_point begin = Clock::now();
  try {
    if (streams)
      state.streaming->run(queue, streamed, known.next(), state.plans.tilings());
    else
      runner.run(known.plan(), known.located());
    for (std::size_t l = 0; l < queue.size(); ++l) {
      state.record_until(first + l);
      if (known.results()[l]) known.results()[l]->finish();
    }
    state.record_until(first + queue.size());
  } catch (...) {
    const std::optional<std::size_t> loop = runner.failed_loop();
    state.failure = loop ? fmt::format("the loop '{}' failed", queue[*loop].loop->name)
                         : "a transfer between fast and slow memory failed";
    throw;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  state.counters.run_seconds += seconds;
  state.counters.tiles += runner.tiles();
  if (state.options.report) record_times(state, known, queue);
  if (!streams) known.ran(seconds);
}

/// Runs the queue as one chain, or as one chain for each of its rounds.
void run_chains(Program::State& state) {
  const std::span<const Queued> queue = state.queue.all();
  const CachedChain* const expected = state.queue.expected();
  const bool is_known = expected != nullptr && expected->loops() == queue.size();
  const Rounds rounds = is_known ? Rounds{} : rounds_of(queue);
  if (rounds.loops == 0) {
    run_chain(state, queue, 0, is_known && expected->is_round());
    return;
  }
  if (rounds.first > 0) run_chain(state, queue.first(rounds.first), 0, false);
  for (std::size_t at = rounds.first; at < queue.size(); at += rounds.loops) {
    const std::size_t loops = std::min(rounds.loops, queue.size() - at);
    run_chain(state, queue.subspan(at, loops), at, loops == rounds.loops);
  }
  state.most_queued = kMaxQueued / rounds.loops * rounds.loops;
}

void run_planned(Program::State& state) {
  const auto others = [&] {
    return state.plans.plan_seconds() + state.counters.run_seconds +
           (state.streaming ? state.streaming->outer_plan_seconds() : 0);
  };
  const double before = others();
  run_chains(state);
  const double all = std::chrono::duration<double>(Clock::now() - state.queue_begin).count();
  state.counters.queue_seconds += all - (others() - before);
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
