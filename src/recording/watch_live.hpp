// Watches a program whose streams a simulation reads on demand.
#pragma once

#include "atoll/recording/watch.hpp"
#include "recording/streams/live_streams.hpp"

namespace Atoll::recording {

/// Like watch(). If `live` is not null, it reads the streams, and the consumer is not called.
int watch_live(const WatchOptions& options, Consumer& consumer, LiveRun* live);

}  // namespace Atoll::recording
