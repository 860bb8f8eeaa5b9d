// How a program that runs here is shown another machine: files as the system's below /sys and
// /proc, which libatoll-machine.so opens instead of those, and a table for the calls that ask the
// kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "atoll/machine/thread_places.hpp"
#include "simulate/inside/view.hpp"
#include "simulate/model.hpp"
#include "simulate/passing_folder.hpp"

namespace Atoll::simulate {

class MachineView {
 public:
  /// Shows the processing units of `places`, the nodes that have some of them, and memories without
  /// processing units. The program's affinity at its start is `allowed`, the system's numbers of
  /// processing units. Throws Error (failed) if the temporary folder has no room.
  MachineView(const Machine& machine, const Model& model, const ThreadPlaces& places,
              const std::vector<int>& allowed);
  ~MachineView();
  MachineView(const MachineView&) = delete;
  MachineView& operator=(const MachineView&) = delete;

  /// What the program's environment has besides.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment() const;
  /// Nobody simulates the program.
  void place_nothing() { view_->places_nothing = 1; }
  /// A thread of the program stands at that processing unit.
  void note_place(int tid, int pu);
  /// Answers to what the thread of that row has asked.
  void answer(std::uint32_t row, std::span<const std::int16_t> answers);
  /// True if a program has looked at it.
  [[nodiscard]] bool was_seen() const;

 private:
  PassingFolder folder_;
  inside::View* view_ = nullptr;
};

}  // namespace Atoll::simulate
