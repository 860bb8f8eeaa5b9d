// Another machine, shown to a program that is watched and not simulated: its nodes, affinity and
// memory policies are the machine's.
#pragma once

#include "atoll/machine/machine.hpp"
#include "atoll/trace/watch.hpp"
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
  /// Has the command that will be watched see the machine, as long as this lives.
  void add_to(trace::WatchOptions& watch) const {
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
