#include "recording/streams/live_thread.hpp"

#include <sys/wait.h>

#include <csignal>
#include <utility>

namespace Atoll::recording {
namespace {

/// Returns true if a signal from outside stopped the program. A program that crashed has ended by
/// itself.
bool was_stopped(int status) {
  if (!WIFSIGNALED(status)) return false;
  const int signal = WTERMSIG(status);
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT ||
         signal == SIGKILL;
}

}  // namespace

LiveThread::LiveThread(const Region& region, LiveRun& run) : streams_(region) {
  thread_ = std::thread([this, &run] {
    try {
      run.run(streams_);
    } catch (...) {
      failed_ = std::current_exception();
      has_failed_.store(true, std::memory_order_release);
    }
  });
}

LiveThread::~LiveThread() {
  streams_.program_ended(false);
  if (thread_.joinable()) thread_.join();
}

void LiveThread::step() {
  if (has_failed_.load(std::memory_order_acquire)) finish(0);
}

void LiveThread::finish(int status) {
  streams_.program_ended(was_stopped(status));
  if (thread_.joinable()) thread_.join();
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
}

}  // namespace Atoll::recording
