// Records of programs in memory, for the simulator.
#pragma once

#include <cstdint>

#include "simulate/batch.hpp"

namespace Atoll::bench {

/// Styles with a number for each combination of few instructions and dependences.
struct Styles {
  static constexpr std::uint32_t kInstructions = 8, kDistances = 4;
  [[nodiscard]] static std::uint8_t number(std::uint32_t instructions, std::uint32_t depends_on,
                                           bool atomic) {
    return static_cast<std::uint8_t>(instructions + kInstructions * depends_on +
                                     kInstructions * kDistances * (atomic ? 1U : 0U));
  }
  static void define(simulate::Batch& batch) {
    for (const bool atomic : {false, true})
      for (std::uint32_t depends_on = 0; depends_on < kDistances; ++depends_on)
        for (std::uint32_t instructions = 0; instructions < kInstructions; ++instructions)
          batch.define(
              number(instructions, depends_on, atomic),
              {.work = {.instructions = instructions}, .depends_on = depends_on, .atomic = atomic});
  }
};

}  // namespace Atoll::bench
