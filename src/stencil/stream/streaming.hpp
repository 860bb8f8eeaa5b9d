// Fields of a program in slow memory, and chains that are streamed through slots in fast memory
// [out-of-core §4].
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "atoll/array/raw_array.hpp"
#include "atoll/stencil/mesh.hpp"
#include "stencil/stream/predictor.hpp"
#include "stencil/stream/slow_memory.hpp"
#include "stencil/stream/stream_runner.hpp"

namespace Atoll::stencil {

class CachedChain;

/// Places the fields of a program: in fast memory if all fit its budget, else in slow memory.
class Streaming {
 public:
  /// `budget` is in bytes. `slow` is null if the program has no slow memory; then fields that don't
  /// fit are refused. `fast` are the nodes of fast memory; empty: those of the threads. The runner
  /// and the context must outlive this object.
  Streaming(const memory::Context& context, ChainRunner& runner, std::uint64_t budget,
            std::unique_ptr<SlowMemory> slow, const Without& without,
            std::vector<NodeId> fast = {});
  /// Predicts the time of chains on another machine. Fields get no memory.
  Streaming(const memory::Context& context, ChainRunner& runner, const Prediction& machine,
            const Without& without);
  ~Streaming();

  /// Adds a field that has no memory.
  void add(FieldStorage& field) { fields_.push_back(&field); }
  /// Gives memory to all fields that were added. Throws Error (input) if they don't fit the budget
  /// and there is no slow memory, or if others that are used already fitted it.
  void place();
  /// True if fields aren't in memory as a whole.
  [[nodiscard]] bool is_active() const { return runner_.has_value() || predictor_.has_value(); }
  [[nodiscard]] bool predicts() const { return predictor_.has_value(); }
  [[nodiscard]] PredictedTimes predicted() const {
    return predictor_ ? predictor_->times() : PredictedTimes{};
  }

  /// Sets the fields that chains write back as a whole, until the next call: the program will
  /// access them.
  void keep(std::span<FieldStorage* const> fields);
  /// Plans a chain. If `continues`, later chains may read the values of temporary fields. Throws
  /// Error (input) if a loop reads dropped data, or a slot is too small.
  [[nodiscard]] std::shared_ptr<StreamedChain> prepare(CachedChain& chain, bool continues,
                                                       const PlanOptions& options,
                                                       const TileCaches& caches);
  /// Runs a chain after ChainRunner::begin(). `next` is the chain that is expected to follow, or
  /// null.
  void run(std::span<const Queued> queue, const std::shared_ptr<StreamedChain>& chain,
           CachedChain* next, Tilings& tilings);
  /// Returns the address of component 0 at point (0, 0, 0) of a field, for access outside of loops.
  /// Valid until the next chain runs. Throws Error (input) if data of the field were dropped.
  [[nodiscard]] std::byte* access(const FieldStorage& field, bool edits);
  /// Releases the memory of mapped rows before row `end`.
  void release(const FieldStorage& field, int end);
  /// Calls work(origin, rows) for parts of some rows of a field, in ascending order. `origin` is
  /// the address of component 0 at point (0, 0, 0), valid during the call and for these rows only.
  /// Throws access()'s errors.
  void for_each_part(const FieldStorage& field, Plan::Interval rows,
                     const std::function<void(std::byte* origin, Plan::Interval rows)>& work);
  [[nodiscard]] StreamCounters counters() const;
  /// Time to plan outer tiles; and the chains in them, which is part of the time of run().
  [[nodiscard]] double outer_plan_seconds() const { return plan_seconds_; }
  [[nodiscard]] double inner_plan_seconds() const { return runner_ ? runner_->plan_seconds() : 0; }
  /// Size of a slot in bytes, and the addresses of all slots.
  [[nodiscard]] std::uint64_t slot_bytes() const { return slot_bytes_; }
  [[nodiscard]] StreamRunner::Slots slots() const;

 private:
  /// A field, by its number in the program.
  struct Placed {
    StreamedField rows;
    Home home;                    ///< of its memory
    std::byte* mapped = nullptr;  ///< address of that memory while it is mapped
    bool edits = false;
    bool is_kept = false;
    /// Data that a chain wrote first, and that weren't written back.
    struct Dropped {
      Points points;
      std::string chain, loop;  ///< names of the chain's first and last loop, and of the writer
    };
    std::optional<Dropped> dropped;
  };
  void place_in_slow_memory();
  [[nodiscard]] OuterPlan outer_plan(const Chain& chain, std::span<const StreamedField> fields,
                                     Mode mode) const;
  std::shared_ptr<StreamedChain> streamed(CachedChain& chain, bool continues,
                                          const PlanOptions& options, const TileCaches& caches);
  void check_content(const FieldStorage& field) const;
  void check_needs(const StreamedChain& chain) const;
  void record_dropped(const StreamedChain& chain);
  void unmap();

  const memory::Context context_;
  ChainRunner& chain_runner_;
  const std::uint64_t budget_;
  const Without without_;
  const std::vector<NodeId> fast_;
  std::unique_ptr<SlowMemory> slow_;
  std::unique_ptr<memory::CopyEngine> edges_;
  std::vector<FieldStorage*> fields_;  ///< by number
  std::size_t placed_fields_ = 0;
  std::vector<Placed> placed_;  ///< by number
  std::uint64_t slot_bytes_ = 0;
  double plan_seconds_ = 0;
  RawArray slots_;
  std::optional<StreamRunner> runner_;
  std::optional<Predictor> predictor_;
};

}  // namespace Atoll::stencil
