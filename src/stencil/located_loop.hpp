// Loops with the addresses of their fields.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stencil/queued.hpp"

namespace Atoll::stencil {

/// A loop of a plan, ready to run.
struct LocatedLoop {
  std::size_t number = 0;               ///< in the queue
  std::byte* const* origins = nullptr;  ///< of each field argument: the address of component 0 at
                                        ///< point (0, 0, 0), which needn't be in memory
  /// If the loop copies rows of periodic() that are in another interval of a slot: the address for
  /// the source. Null otherwise.
  const std::byte* source = nullptr;
};

/// The loops of a chain whose fields lie in memory as a whole.
class LocatedLoops {
 public:
  explicit LocatedLoops(std::span<const Queued> queue) {
    std::size_t fields = 0;
    for (const Queued& queued : queue) fields += queued.loop->code->fields;
    origins_.reserve(fields);
    for (const Queued& queued : queue) {
      loops_.push_back({loops_.size(), origins_.data() + origins_.size(), nullptr});
      for (const detail::FieldUse& use : queued.loop->fields())
        origins_.push_back(use.field->origin());
    }
  }
  LocatedLoops(const LocatedLoops&) = delete;
  LocatedLoops& operator=(const LocatedLoops&) = delete;
  [[nodiscard]] std::span<const LocatedLoop> all() const { return loops_; }

 private:
  std::vector<std::byte*> origins_;
  std::vector<LocatedLoop> loops_;
};

}  // namespace Atoll::stencil
