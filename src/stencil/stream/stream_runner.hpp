// Execution of a chain whose fields are in slow memory: three slots in fast memory hold the data of
// one outer tile each [out-of-core Algorithm 1].
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "atoll/memory/copy_engine.hpp"
#include "atoll/stencil/program.hpp"
#include "stencil/chain_runner.hpp"
#include "stencil/coverage.hpp"
#include "stencil/stream/inner_plans.hpp"
#include "stencil/stream/tile_loops.hpp"

namespace Atoll::stencil {

/// A chain and all that streaming it needs.
struct StreamedChain {
  const Chain& chain;                 ///< valid while the chain is in the plan cache
  std::vector<StreamedField> fields;  ///< by field of the chain
  OuterPlan outer;
  InnerPlans inner;
  FieldPoints points;  ///< of its streamed fields
};

/// Runs the chains of a program one after the other.
class StreamRunner {
 public:
  static constexpr std::size_t kSlots = 3;
  using Slots = std::array<std::byte*, kSlots>;

  /// `transfers` copies between homes and slots, `edges` between slots. Without `reads_ahead`, the
  /// data of a segment's first tile are read when the segment begins. All arguments must outlive
  /// the runner.
  StreamRunner(ChainRunner& runner, memory::CopyEngine& transfers, memory::CopyEngine& edges,
               const Slots& slots, bool reads_ahead)
      : runner_(runner),
        transfers_(transfers),
        edges_(edges),
        slots_(slots),
        reads_ahead_(reads_ahead) {}
  ~StreamRunner();
  StreamRunner(const StreamRunner&) = delete;
  StreamRunner& operator=(const StreamRunner&) = delete;

  /// Runs a chain after ChainRunner::begin(). Its last results may still be on their way to the
  /// homes. While its last tile runs, reads the data of the first tile of `next`, the chain that is
  /// expected to follow, unless it is null. Throws the exceptions of kernels and of transfers; the
  /// runner is unusable then.
  void run(std::span<const Queued> queue, const std::shared_ptr<StreamedChain>& chain,
           const std::shared_ptr<StreamedChain>& next, Tilings& tilings);
  /// Blocks until the results of these rows of a field are in its home.
  void finish(int field, Plan::Interval rows);
  /// Drops what was read ahead, because the homes will change.
  void drop_ahead() noexcept;
  [[nodiscard]] const StreamCounters& counters() const { return counters_; }
  /// Time to plan the inner chains.
  [[nodiscard]] double plan_seconds() const { return plan_seconds_; }

 private:
  /// A tile whose data are, or will be, in a slot.
  struct Loaded {
    std::shared_ptr<StreamedChain> chain;
    const OuterTile* tile = nullptr;
    std::size_t slot = 0;
    SlotLayout layout;
    std::unique_ptr<memory::CopyOperation> reading;
    std::vector<Intervals> late;  ///< by field: rows to be read when the current transfers to the
                                  ///< homes have ended
    bool any_late = false;
  };
  /// Rows on their way to the homes, by number of the field in the program.
  struct Writing {
    std::unique_ptr<memory::CopyOperation> operation;
    std::vector<Intervals> rows;
  };

  [[nodiscard]] Loaded load(const std::shared_ptr<StreamedChain>& chain, const OuterTile& tile,
                            const Loaded* current);
  void add_reads(Loaded& loaded, std::size_t field, const Intervals& rows, memory::CopyJob& job);
  void wait_for(Loaded& loaded);
  void wait_for_writing();
  void copy_edges(const Loaded& from, const Loaded& to);
  void write_back(const Loaded& loaded);
  void execute(const Loaded& loaded, std::span<const Queued> queue, Tilings& tilings);
  void run_tiles(std::span<const Queued> queue, const std::shared_ptr<StreamedChain>& chain,
                 const std::shared_ptr<StreamedChain>& next, Tilings& tilings);
  void cancel() noexcept;

  ChainRunner& runner_;
  memory::CopyEngine& transfers_;
  memory::CopyEngine& edges_;
  const Slots slots_;
  const bool reads_ahead_;
  std::size_t slot_ = 0;  ///< for the next tile; the one before it may still be written back
  Loaded ahead_;          ///< the tile that is expected to run next
  Writing writing_;
  TileLoops loops_;
  StreamCounters counters_;
  double plan_seconds_ = 0;
};

}  // namespace Atoll::stencil
