// Thread that runs a LiveRun while the program runs.
#pragma once

#include <atomic>
#include <exception>
#include <thread>

#include "recording/streams/live_streams.hpp"

namespace Atoll::recording {

class LiveThread {
 public:
  LiveThread(const Region& region, LiveRun& run);
  ~LiveThread();
  LiveThread(const LiveThread&) = delete;
  LiveThread& operator=(const LiveThread&) = delete;

  /// Rethrows the LiveRun's exception if it has failed.
  void step();
  /// The program has ended with `status`, or the LiveRun has failed. Rethrows its exception.
  void finish(int status);
  [[nodiscard]] const LiveStreams& streams() const { return streams_; }

 private:
  LiveStreams streams_;
  std::thread thread_;
  std::exception_ptr failed_;
  std::atomic<bool> has_failed_{false};
};

}  // namespace Atoll::recording
