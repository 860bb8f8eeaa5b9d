// Presents a simulated machine to a program on this computer: files that libatoll-machine.so opens
// in place of the system's below /sys and /proc, and a table for calls that query the kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "atoll/machine/thread_places.hpp"
#include "simulate/inside/view.hpp"
#include "simulate/model.hpp"
#include "simulate/temporary_directory.hpp"

namespace Atoll::simulate {

class MachineView {
 public:
  /// Presents the processing units of `places`, the nodes that contain them, and memories without
  /// processing units. The program's initial affinity is `allowed`, given as the system's numbers.
  /// Throws Error (failed) if the temporary folder is full.
  MachineView(const Machine& machine, const Model& model, const ThreadPlaces& places,
              const std::vector<int>& allowed);
  ~MachineView();
  MachineView(const MachineView&) = delete;
  MachineView& operator=(const MachineView&) = delete;

  /// Variables to add to the program's environment.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment() const;
  /// Declares that the program is not simulated.
  void place_nothing() { view_->places_nothing = 1; }
  /// Publishes that a thread of the program is bound to that processing unit.
  void note_place(int tid, int pu);
  /// Stores the answers to a query. `row` is the row of the thread that made it.
  void answer(std::uint32_t row, std::span<const std::int16_t> answers);
  /// True if a program has mapped the view.
  [[nodiscard]] bool was_seen() const;

 private:
  TemporaryDirectory folder_;
  inside::View* view_ = nullptr;
};

}  // namespace Atoll::simulate
