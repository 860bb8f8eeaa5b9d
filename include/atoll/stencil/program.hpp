// A program of stencil loops: its threads, its meshes, and the queue of loops that wait until a
// result is asked for [out-of-core §3].
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/memory/block.hpp"
#include "atoll/stencil/mesh.hpp"
#include "atoll/stencil/options.hpp"
#include "atoll/stencil/plan.hpp"
#include "atoll/stencil/reduction.hpp"
#include "atoll/stencil/report.hpp"

namespace Atoll::stencil {

/// What a program has done so far.
struct Counters {
  std::uint64_t chains = 0;  ///< how often queued loops were run
  std::uint64_t loops = 0;   ///< loops that were run
  std::uint64_t tiles = 0;   ///< tiles that were run
  std::uint64_t plans = 0;   ///< plans that were made; other chains used one of them again
  /// From each chain's first loop on until it was run, without planning: queueing loops,
  /// recognising chains, and what the program did in between.
  double queue_seconds = 0;
  double plan_seconds = 0;  ///< making plans
  double run_seconds = 0;   ///< running loops
};

/// Threads, meshes, fields and a queue. One thread of the caller's uses a program at a time.
class Program {
 public:
  /// Takes this computer and a team of options.threads threads. Throws Error (input) for a bad
  /// option.
  explicit Program(const Options& options = {});
  /// Takes a machine and a team that outlive the program; options.threads doesn't count.
  Program(const memory::Context& context, const Options& options = {});
  /// Loops that still wait are dropped: nobody has asked for what they compute.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Makes a mesh of so many points in x, y and z. Throws Error (input) for a name that is taken.
  Mesh& mesh(std::string name, std::initializer_list<int> sizes);
  /// The same, from values that the program has computed.
  Mesh& mesh(std::string name, std::span<const int> sizes);
  /// Makes a reduction of `count` values.
  template <Element T>
  Reduction<T> reduction(int count = 1) {
    return Reduction<T>(add_reduction(element_type<T>(), count));
  }

  /// Runs all loops that wait, as one chain. Views, copies and reductions' values do so by
  /// themselves. A kernel's exception ends the chain and comes out here; then the fields hold
  /// anything, and every further use of the program throws Error (failed), which says so.
  void run();

  [[nodiscard]] const Options& options() const;
  [[nodiscard]] const Machine& machine() const;
  [[nodiscard]] const Team& team() const;
  [[nodiscard]] const memory::Context& context() const;
  [[nodiscard]] const std::vector<std::unique_ptr<Mesh>>& meshes() const;
  /// How many loops wait.
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] Counters counters() const;
  /// The chain of the loops that wait, as planning sees it.
  [[nodiscard]] Chain chain() const;
  /// The plan of the last chain that was run, and the chain; none before the first one, and in
  /// checked mode.
  [[nodiscard]] const Plan* last_plan() const;
  [[nodiscard]] const Chain* last_chain() const;
  /// Times and bytes by loop, if options.report is set.
  [[nodiscard]] Report report() const;

  struct State;
  /// For the library.
  [[nodiscard]] State& state() const { return *state_; }

 private:
  ReductionStorage& add_reduction(ElementType type, int count);
  std::unique_ptr<State> state_;
};

}  // namespace Atoll::stencil
