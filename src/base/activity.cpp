#include "base/activity.hpp"

#include <signal.h>

#include <chrono>
#include <utility>

#include "base/progress_line.hpp"

namespace Atoll {
namespace {

using Clock = std::chrono::steady_clock;

std::string seconds_since(Clock::time_point start) {
  return std::to_string(
             std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count()) +
         " s";
}

}  // namespace

Activity::Activity(std::string what, std::function<std::string()> state)
    : what_(std::move(what)), state_(std::move(state)) {
  if (!shows_progress_line()) return;
  if (!state_) state_ = [start = Clock::now()] { return seconds_since(start); };
  // The thread inherits the mask, so signals are handled by other threads.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { draw(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Activity::~Activity() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
  }
  wakes_.notify_one();
  thread_.join();
  clear_progress_line();
}

void Activity::draw() {
  std::unique_lock lock(mutex_);
  for (auto pause = kFirstLineAfter; !wakes_.wait_for(lock, pause, [this] { return has_ended_; });
       pause = kLineEvery)
    draw_progress_line(what_, state_());
}

}  // namespace Atoll
