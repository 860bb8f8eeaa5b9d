// What a program holds: its threads, meshes, reductions, and the queue.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atoll/stencil/program.hpp"
#include "stencil/chain_runner.hpp"
#include "stencil/plan_cache.hpp"
#include "stencil/waiting.hpp"

namespace Atoll::stencil {

/// So many loops wait at most: then they run, so that a program that never asks for anything needs
/// no more and more memory.
inline constexpr std::size_t kMostQueued = 20000;

struct Program::State {
  State(const Options& options);
  State(const memory::Context& context, const Options& options);

  Options options;
  std::optional<Machine> own_machine;
  std::optional<Team> own_team;
  std::optional<memory::Context> context;
  std::vector<std::unique_ptr<Mesh>> meshes;
  std::vector<std::unique_ptr<ReductionStorage>> reductions;
  int fields = 0;
  WaitingLoops queue;
  std::chrono::steady_clock::time_point queue_begin;  ///< when the first of them was queued
  PlanCache plans;
  std::optional<ChainRunner> runner;
  KnownChain* last = nullptr;       ///< the last one that ran
  const Plan* last_plan = nullptr;  ///< and how
  Counters counters;
  std::vector<LoopReport> loops;  ///< options.report: all loops so far
  std::string void_because;       ///< the loop whose kernel threw

  /// A call of Reduction::record(): after so many loops of the queue.
  struct Record {
    ReductionStorage* reduction;
    std::size_t loops;
  };
  std::vector<Record> records;  ///< in the order of calls
  std::size_t recorded = 0;     ///< how many of them are done
  void add_record(ReductionStorage& reduction);
  /// Does those that come before loop number `loop` of the queue.
  void record_until(std::size_t loop);
  void drop_records();

  /// Throws if a kernel threw before.
  void check_alive() const;
  void drop_queue();
};

}  // namespace Atoll::stencil
