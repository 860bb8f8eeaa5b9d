// A machine as the simulator takes it: its shape and its timing, from its figures; and what had to
// be assumed, as the machine doesn't tell it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "simulate/shape.hpp"
#include "simulate/timing.hpp"

namespace Atoll::simulate {

/// Everything that timing depends on, and that can be moved: the hardware's figures, and three
/// factors of what the machine says of its memory-side caches.
struct Figures {
  std::array<double, 64> hardware{};  ///< by HardwareFigure
  double memory_side_latency = 1, memory_side_check = 1, memory_side_bandwidth = 1;
};

/// A figure that has a range.
struct Knob {
  std::string name;                   ///< for people: "lines_in_flight"
  double Figures::*factor = nullptr;  ///< or null
  std::size_t hardware = 0;
  double low = 0, high = 0;
  bool decides_hits = false;  ///< else it decides times alone

  [[nodiscard]] Figures moved(Figures figures, bool up) const;
};

/// What the machine says; the table's where it doesn't.
[[nodiscard]] Figures figures_of(const Machine& machine);
/// The figures that have a range: those can be moved.
[[nodiscard]] std::vector<Knob> knobs_of(const Machine& machine);

[[nodiscard]] Timing timing_of(const Machine& machine, const Figures& figures);

// Of the caches in front of memories (model_memory_side.cpp): a row for each memory, none where no
// memory has one.
[[nodiscard]] std::vector<MemorySideShape> memory_side_shape(const Machine& machine);
[[nodiscard]] std::vector<MemorySideTiming> memory_side_timing(const Machine& machine,
                                                               const Figures& figures);
void add_memory_side_knobs(const Machine& machine, std::vector<Knob>& knobs);

/// One wire in one direction.
struct WireEnd {
  std::string from, to;
};

/// The parts of a machine that don't depend on figures that can be moved.
struct Model {
  Shape shape;
  std::map<int, Seat> seats;  ///< by the system's number of the processing unit
  std::vector<NodeId> nodes, memories;
  std::vector<std::uint16_t> memory_of_node;
  std::vector<WireEnd> wires;  ///< by direction, as in Timing::wire
  std::vector<std::string> assumed;
};

/// The shape with the figures that decide hits: ways, TLBs, prefetcher, rows.
[[nodiscard]] Shape shape_of(Shape shape, const Figures& figures);

/// Throws Error (input) where the machine has more processing units or memories than can be told
/// apart.
[[nodiscard]] Model model_of(const Machine& machine);

}  // namespace Atoll::simulate
