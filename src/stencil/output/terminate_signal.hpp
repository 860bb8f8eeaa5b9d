// SIGTERM, which batch systems send some time before they kill a job: it is noted, so that the
// program can save its state first.
#pragma once

#include <csignal>

namespace Atoll::stencil::detail {

/// While one exists, SIGTERM doesn't end the process. A process has one at a time.
class TerminateSignal {
 public:
  TerminateSignal();
  /// Restores the signal's disposition.
  ~TerminateSignal();
  TerminateSignal(const TerminateSignal&) = delete;
  TerminateSignal& operator=(const TerminateSignal&) = delete;

  [[nodiscard]] bool arrived() const;
  /// Lets the signal do what it would have done before: it ends the process, unless the program
  /// handles or ignores it.
  void end_process();

 private:
  struct sigaction before_ {};
};

}  // namespace Atoll::stencil::detail
