// Fields of a program in slow memory, and chains that are streamed through slots in fast memory
// [out-of-core §4].
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "atoll/array/raw_array.hpp"
#include "atoll/stencil/mesh.hpp"
#include "stencil/stream/slow_memory.hpp"
#include "stencil/stream/stream_runner.hpp"

namespace Atoll::stencil {

class CachedChain;

/// Places the fields of a program: in fast memory if all fit its budget, else in slow memory.
class Streaming {
 public:
  /// `budget` is in bytes. `slow` is null if the program has no slow memory; then fields that don't
  /// fit are refused. The runner and the context must outlive this object.
  Streaming(const memory::Context& context, ChainRunner& runner, std::uint64_t budget,
            std::unique_ptr<SlowMemory> slow);
  ~Streaming();

  /// Adds a field that has no memory.
  void add(FieldStorage& field) { fields_.push_back(&field); }
  /// Gives memory to all fields that were added. Throws Error (input) if they don't fit the budget
  /// and there is no slow memory, or if others that are used already fitted it.
  void place();
  /// True if fields are in slow memory.
  [[nodiscard]] bool is_active() const { return runner_.has_value(); }

  /// Runs a chain after ChainRunner::begin(). `next` is the chain that is expected to follow, or
  /// null.
  void run(std::span<const Queued> queue, CachedChain& chain, CachedChain* next,
           const PlanOptions& options, const CacheFigures& caches, Tilings& tilings);
  /// Returns the address of component 0 at point (0, 0, 0) of a field, for access outside of loops.
  /// Valid until the next chain runs.
  [[nodiscard]] std::byte* access(const FieldStorage& field, bool edits);
  [[nodiscard]] StreamCounters counters() const;
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
  };
  void place_in_slow_memory();
  const std::shared_ptr<StreamedChain>& streamed(CachedChain& chain, const PlanOptions& options,
                                                 const CacheFigures& caches);
  void unmap();

  const memory::Context context_;
  ChainRunner& chain_runner_;
  const std::uint64_t budget_;
  std::unique_ptr<SlowMemory> slow_;
  std::unique_ptr<memory::CopyEngine> edges_;
  std::vector<FieldStorage*> fields_;  ///< by number
  std::size_t placed_fields_ = 0;
  std::vector<Placed> placed_;  ///< by number
  std::uint64_t slot_bytes_ = 0;
  RawArray slots_;
  std::optional<StreamRunner> runner_;
};

}  // namespace Atoll::stencil
