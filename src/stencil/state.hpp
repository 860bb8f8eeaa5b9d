// State of a program: its threads, meshes, reductions, and the queue.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atoll/stencil/program.hpp"
#include "stencil/chain_runner.hpp"
#include "stencil/loop_queue.hpp"
#include "stencil/plan_cache.hpp"
#include "stencil/stream/streaming.hpp"

namespace Atoll::stencil {

/// Maximum number of queued loops; then they are run. Limits the memory of programs that never
/// request a result.
inline constexpr std::size_t kMaxQueued = 20000;

struct Program::State {
  State(const Options& options);
  State(const memory::Context& context, const Options& options);
  /// Makes the runner and, if the options ask for it, the streaming.
  void start();

  Options options;
  std::optional<Machine> own_machine;
  std::optional<Team> own_team;
  std::optional<memory::Context> context;
  std::vector<std::unique_ptr<Mesh>> meshes;
  std::vector<std::unique_ptr<ReductionStorage>> reductions;
  int fields = 0;
  LoopQueue queue;
  std::size_t most_queued = kMaxQueued;  ///< a multiple of the round, if there is one
  bool continues = false;  ///< true if the queue ran because it was full, so that temporary fields
                           ///< keep their content
  std::vector<Points> written;  ///< points of temporary fields that were written since the program
                                ///< last asked for a result, by the number of the field
  std::chrono::steady_clock::time_point queue_begin;  ///< time at which the first loop of the queue
                                                      ///< was queued
  PlanCache plans;
  std::optional<ChainRunner> runner;
  std::optional<Streaming> streaming;  ///< if the options ask for it
  CachedChain* last = nullptr;         ///< last chain that ran
  const Plan* last_plan = nullptr;     ///< its plan
  Counters counters;
  std::vector<LoopReport> loops;  ///< all loops so far, if options.report is set
  std::string failure;            ///< what failed, if the program is unusable; empty otherwise

  /// A call of Reduction::record() after the first `loops` loops of the queue.
  struct Record {
    ReductionStorage* reduction;
    std::size_t loops;
  };
  std::vector<Record> records;  ///< in the order of calls
  std::size_t recorded = 0;     ///< number of processed ones
  void add_record(ReductionStorage& reduction);
  /// Processes the records that precede loop number `loop` of the queue.
  void record_until(std::size_t loop);
  void drop_records();

  /// True if fields are in slow memory. Places fields first.
  [[nodiscard]] bool streams();
  /// True if the queue is to be run before another loop is queued.
  [[nodiscard]] bool is_full() const;
  /// Throws if a kernel threw before.
  void check_alive() const;
  void drop_queue();
};

}  // namespace Atoll::stencil
