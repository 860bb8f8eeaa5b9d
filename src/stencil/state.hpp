// What a program holds: its threads, meshes, reductions, and the queue.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "atoll/stencil/program.hpp"
#include "stencil/arena.hpp"
#include "stencil/plan_cache.hpp"

namespace Atoll::stencil {

/// Fields of a program, so that their numbers fit the signatures of chains.
inline constexpr int kMostFields = 1 << 22;

/// So many loops wait at most: then they run, so that a program that never asks for anything needs
/// no more and more memory.
inline constexpr std::size_t kMostQueued = 20000;

/// A loop that waits. Everything it points to is in the queue's arena.
struct Queued {
  const std::string* name;
  Mesh* mesh;
  Range range;
  const detail::LoopCode* code;
  void* body;
  std::span<detail::FieldUse> fields;
  std::span<detail::ReductionUse> reductions;
  bool ready;  ///< one of the library's boundary conditions

  /// Sums are taken of whole blocks.
  [[nodiscard]] int whole_blocks() const {
    for (const detail::ReductionUse& use : reductions)
      if (use.op == ReduceOp::sum) return detail::kBlock;
    return 0;
  }
};

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
  std::unordered_set<std::string> names;
  struct RecentName {
    const char* text = nullptr;
    const std::string* name = nullptr;
  };
  std::array<RecentName, 256> recent_names;
  std::vector<Queued> queue;
  Arena arena;
  PlanCache plans;
  KnownChain* last = nullptr;       ///< the last one that ran
  const Plan* last_plan = nullptr;  ///< and how
  Counters counters;
  std::vector<LoopReport> loops;  ///< options.report: all loops so far
  std::string void_because;       ///< the loop whose kernel threw

  /// Throws if a kernel threw before.
  void check_alive() const;
  const std::string* intern(std::string_view name);
  void drop_queue();
};

}  // namespace Atoll::stencil
