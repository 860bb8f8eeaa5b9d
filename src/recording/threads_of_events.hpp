// Maps the events of a recording to the threads that they create or join.
#pragma once

#include "recording/streams/stream_decoder.hpp"

namespace Atoll::recording {

[[nodiscard]] inline ThreadsOfEvents threads_of_events(const Recording& recording) {
  ThreadsOfEvents threads;
  for (const Thread& thread : recording.threads)
    for (const std::uint64_t event : {thread.created_event, thread.joined_event})
      if (event != kNoEvent) threads.emplace(event, thread.id);
  return threads;
}

}  // namespace Atoll::recording
