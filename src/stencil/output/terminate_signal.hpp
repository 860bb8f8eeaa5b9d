// Handling of SIGTERM, which batch systems send some time before they kill a job: it is recorded,
// so that the program can save its state first.
#pragma once

#include <csignal>

namespace Atoll::stencil::detail {

/// While an object exists, SIGTERM doesn't end the process. At most one object may exist.
class TerminateSignal {
 public:
  TerminateSignal();
  /// Restores the signal's disposition.
  ~TerminateSignal();
  TerminateSignal(const TerminateSignal&) = delete;
  TerminateSignal& operator=(const TerminateSignal&) = delete;

  [[nodiscard]] bool arrived() const;
  /// Raises the signal with its previous disposition, which ends the process unless the program
  /// handles or ignores it.
  void end_process();

 private:
  struct sigaction before_ {};
};

}  // namespace Atoll::stencil::detail
