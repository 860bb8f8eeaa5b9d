// Shows another machine to a program that is watched but not simulated: its nodes, affinity and
// memory policies are those of that machine.
#pragma once

#include "atoll/machine/machine.hpp"
#include "atoll/recording/watch.hpp"
#include "simulate/live_places.hpp"
#include "simulate/machine_view.hpp"
#include "simulate/model.hpp"

namespace Atoll::simulate {

class ShownMachine {
 public:
  /// `machine` must outlive this. Throws Error (input) if it is too large to be shown.
  explicit ShownMachine(const Machine& machine)
      : model_(model_of(machine)),
        places_(machine, {}),
        view_(machine, model_, places_.all(), places_.allowed()) {
    view_.place_nothing();
  }
  /// Sets up the command to be watched so that it sees the machine. This object must outlive the
  /// command.
  void add_to(recording::WatchOptions& watch) const {
    watch.preload.emplace_back("libatoll-machine.so");
    const auto environment = view_.environment();
    watch.environment.insert(watch.environment.end(), environment.begin(), environment.end());
  }

 private:
  Model model_;
  LivePlaces places_;
  MachineView view_;
};

}  // namespace Atoll::simulate
