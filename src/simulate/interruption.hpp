// Notes SIGINT, SIGTERM and SIGHUP, so that a simulation prints what is known by then.
#pragma once

#include <csignal>

#include <array>

namespace Atoll::simulate {

/// While an object lives, the first of these signals is noted, and the next one has its former
/// action. Signals that this process ignores stay ignored. One object may live at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// True if a signal has come since an object began to live.
  [[nodiscard]] static bool has_come();

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, std::tuple_size_v<decltype(kSignals)>> before_;
};

}  // namespace Atoll::simulate
