// Runs a command under a front end and hands what was seen to a consumer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atoll/trace/recording.hpp"
#include "trace/sample/rate.hpp"
#include "trace/shared_region.hpp"
#include "trace/stream_file.hpp"

namespace Atoll::trace {

struct WatchOptions {
  std::vector<std::string> command;
  std::optional<Frontend> frontend;  ///< nothing: the best that applies
  RegionOptions region;
  double after_seconds = 0;        ///< recording begins then
  sample::RateOptions sampling;    ///< what Frontend::sample may cost
  bool native_too = false;         ///< run the command alone first, for the slowdown
  StreamWriter* stream = nullptr;  ///< record streams, into this, and no counts
  bool live_streams = false;       ///< record streams, for the consumer while the program runs
};

/// Returns the command's status as from waitpid. Throws Error (input) where it can't be executed or
/// watched; what the program itself does wrong is its own, and in the recording. What the consumer
/// throws is thrown again once the program has ended; it isn't watched from then on.
///
/// With live_streams the consumer gets begin when the program starts, with how it is watched; its
/// accesses, loops and events while it runs; and end with everything. With `stream` it gets begin
/// and end alone, afterwards.
int watch(const WatchOptions& options, Consumer& consumer);

}  // namespace Atoll::trace
