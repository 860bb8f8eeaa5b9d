// Watches a program whose streams are taken one by one, as somebody wants them.
#pragma once

#include "atoll/trace/watch.hpp"
#include "trace/live_streams.hpp"

namespace Atoll::trace {

/// As watch(); if `live` isn't null, it takes the streams, and the consumer gets nothing.
int watch_live(const WatchOptions& options, Consumer& consumer, LiveRun* live);

}  // namespace Atoll::trace
