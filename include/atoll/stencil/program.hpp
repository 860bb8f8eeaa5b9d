// A program of stencil loops: its threads, its meshes, and the queue of loops that are deferred
// until a result is requested [out-of-core §3].
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

/// Statistics of chains whose fields are streamed through a budget of memory. All zeros if all
/// fields fit.
struct StreamCounters {
  std::uint64_t outer_tiles = 0;              ///< parts of the mesh that were in fast memory
  std::uint64_t slot_bytes = 0;               ///< size of one of the three slots that hold them
  std::uint64_t bytes_in = 0, bytes_out = 0;  ///< read from and written to slow memory by chains
  std::uint64_t planned_bytes_in = 0, planned_bytes_out = 0;
  double waited_seconds = 0;  ///< for transfers, while no loop ran
};

/// Predicted times of all chains so far.
struct PredictedTimes {
  double seconds = 0;
  double baseline_seconds = 0;  ///< with all fields in fast memory
};

/// Statistics of a program since its start.
struct Counters {
  std::uint64_t chains = 0;  ///< number of runs of the queue
  std::uint64_t loops = 0;   ///< loops executed
  std::uint64_t tiles = 0;   ///< tiles executed
  std::uint64_t plans = 0;   ///< plans made; all other chains reused one of them
  /// Time from each chain's first queued loop until the chain runs, without planning. Includes
  /// queueing, recognition of known chains, and the caller's code in between.
  double queue_seconds = 0;
  double plan_seconds = 0;       ///< time to make plans
  std::uint64_t plan_bytes = 0;  ///< memory of all plans that are kept
  double run_seconds = 0;        ///< time to run loops
  StreamCounters streamed;
  PredictedTimes predicted;  ///< if options.prediction is set
};

/// Threads, meshes, fields and a queue of loops. Not thread-safe: only one thread may use a program
/// at a time.
class Program {
 public:
  /// Uses this computer and creates a team of options.threads threads. Throws Error (input) for a
  /// bad option.
  explicit Program(const Options& options = {});
  /// Uses a machine and a team that outlive the program; options.threads is ignored.
  Program(const memory::Context& context, const Options& options = {});
  /// Drops queued loops: their results were never requested.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Creates a mesh with these numbers of points in x, y and z. Throws Error (input) if the name is
  /// taken.
  Mesh& mesh(std::string name, std::initializer_list<int> sizes);
  /// The same with sizes that are computed at run time.
  Mesh& mesh(std::string name, std::span<const int> sizes);
  /// Creates a reduction of `count` values.
  template <Element T>
  Reduction<T> reduction(int count = 1) {
    return Reduction<T>(add_reduction(element_type<T>(), count));
  }

  /// Runs all queued loops as one chain. Views, copies and the values of reductions do so
  /// implicitly. If a kernel throws, the chain ends and the exception propagates; fields are then
  /// undefined, and every further use of the program throws Error (failed) with that reason.
  void run();

  [[nodiscard]] const Options& options() const;
  [[nodiscard]] const Machine& machine() const;
  [[nodiscard]] const Team& team() const;
  [[nodiscard]] const memory::Context& context() const;
  [[nodiscard]] const std::vector<std::unique_ptr<Mesh>>& meshes() const;
  /// Number of queued loops.
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] Counters counters() const;
  /// Returns the chain of the queued loops, as input of planning.
  [[nodiscard]] Chain chain() const;
  /// The last chain that was run, and its plan; null before the first one, and in checked mode.
  [[nodiscard]] const Plan* last_plan() const;
  [[nodiscard]] const Chain* last_chain() const;
  /// Returns times and bytes for each loop, if options.report is set.
  [[nodiscard]] Report report() const;

  struct State;
  /// Internal state, for the library.
  [[nodiscard]] State& state() const { return *state_; }

 private:
  ReductionStorage& add_reduction(ElementType type, int count);
  std::unique_ptr<State> state_;
};

}  // namespace Atoll::stencil
