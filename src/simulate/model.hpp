// Derives the simulator's view of a machine from its figures: the shape and the timing, and the
// assumptions made for missing figures.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "simulate/shape.hpp"
#include "simulate/timing.hpp"

namespace Atoll::simulate {

/// All values that affect timing and can be varied: the hardware's figures, and three factors on
/// the machine's figures of memory-side caches.
struct Figures {
  std::array<double, 64> hardware{};  ///< indexed by HardwareFigure
  double memory_side_latency = 1, memory_side_check = 1, memory_side_bandwidth = 1;
};

/// A figure with a range.
struct VariableFigure {
  std::string name;                   ///< readable name, e.g. "lines_in_flight"
  double Figures::*factor = nullptr;  ///< a factor of Figures; null: hardware[`hardware`]
  std::size_t hardware = 0;
  double low = 0, high = 0;
  bool decides_hits = false;  ///< true: affects which accesses hit; false: only times

  [[nodiscard]] Figures moved(Figures figures, bool up) const;
};

/// Returns the machine's figures, with the table's defaults for missing ones.
[[nodiscard]] Figures figures_of(const Machine& machine);
/// Returns the figures that have a range.
[[nodiscard]] std::vector<VariableFigure> knobs_of(const Machine& machine);

[[nodiscard]] Timing timing_of(const Machine& machine, const Figures& figures);

// Caches in front of memories (model_memory_side.cpp): an entry for each memory; empty if no memory
// has such a cache.
[[nodiscard]] std::vector<MemorySideShape> memory_side_shape(const Machine& machine);
[[nodiscard]] std::vector<MemorySideTiming> memory_side_timing(const Machine& machine,
                                                               const Figures& figures);
void add_memory_side_knobs(const Machine& machine, std::vector<VariableFigure>& knobs);

/// One direction of a link.
struct WireEnd {
  std::string from, to;
};

/// The parts of a machine that don't depend on variable figures.
struct Model {
  Shape shape;
  std::map<int, HardwareThread> hw_threads;  ///< by the system's number of the processing unit
  std::vector<NodeId> nodes, memories;
  std::vector<std::uint16_t> memory_of_node;
  std::vector<WireEnd> wires;  ///< two directions per link, as in MachineTiming::wire
  std::vector<std::string> assumed;
};

/// Returns the shape with the figures that decide hits: ways, TLBs, prefetcher, rows.
[[nodiscard]] Shape shape_of(Shape shape, const Figures& figures);

/// Throws Error (input) if the machine has more processing units or memories than the simulator
/// supports.
[[nodiscard]] Model model_of(const Machine& machine);

}  // namespace Atoll::simulate
