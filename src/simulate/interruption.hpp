// Records SIGINT, SIGTERM and SIGHUP, so that a simulation can print its partial result.
#pragma once

#include <csignal>

#include <array>

namespace Atoll::simulate {

/// While an object exists, the first delivery of each of these signals is recorded and resets the
/// action of that signal to the default. Signals that this process ignores stay ignored. Only one
/// object may exist at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// True if a signal has arrived since the object was created.
  [[nodiscard]] static bool has_come();

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, std::tuple_size_v<decltype(kSignals)>> before_;
};

}  // namespace Atoll::simulate
