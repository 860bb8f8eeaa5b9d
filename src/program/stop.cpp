// The signal handlers call only async-signal-safe functions: write(2) and _exit(2).
#include "program/stop.hpp"

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <string>

#include "atoll/base/error.hpp"

namespace Atoll::program {
namespace {

constexpr int kInterruptedExitCode = 128 + SIGINT;  // as shells report it
char limit_line[128];
std::size_t limit_line_bytes = 0;

void end(const char* line, std::size_t bytes, int code) {
  // Clears a progress line, if there is one.
  if (::isatty(STDERR_FILENO) != 0) static_cast<void>(!::write(STDERR_FILENO, "\r\x1b[K", 4));
  static_cast<void>(!::write(STDERR_FILENO, line, bytes));
  ::_exit(code);
}

void interrupted(int) {
  static constexpr char kLine[] = "atoll: the run was interrupted; nothing more is written\n";
  end(kLine, sizeof kLine - 1, kInterruptedExitCode);
}

void late(int) {
  end(limit_line, limit_line_bytes, kTimeLimitExitCode);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigfillset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void end_on_interrupt_or_after(std::optional<double> seconds) {
  struct sigaction before {};
  ::sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler != SIG_IGN) handle(SIGINT, interrupted);  // may be ignored: nohup, &
  if (!seconds) return;
  const std::string line = fmt::format(
      "atoll: --time-limit: the run took longer than {} s; nothing more is written\n", *seconds);
  limit_line_bytes = std::min(line.size(), sizeof limit_line);
  std::memcpy(limit_line, line.data(), limit_line_bytes);
  handle(SIGALRM, late);
  struct itimerval timer {};
  timer.it_value.tv_sec = static_cast<time_t>(*seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((*seconds - std::floor(*seconds)) * 1e6);
  if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) timer.it_value.tv_usec = 1;
  if (::setitimer(ITIMER_REAL, &timer, nullptr) != 0)
    throw Error::system("--time-limit", "setting a timer", errno);
}

}  // namespace Atoll::program
