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
  std::optional<Frontend> frontend;  ///< none: the best one that can watch the program
  RegionOptions region;
  double after_seconds = 0;        ///< recording begins so long after the start
  sample::RateOptions sampling;    ///< how much Frontend::sample may cost
  bool native_too = false;         ///< if true, the command first runs alone, for the slowdown
  StreamWriter* stream = nullptr;  ///< if set, streams are recorded into it, and no counts
  bool live_streams = false;       ///< if true, streams go to the consumer while the program runs
};

/// Returns the command's status as from waitpid. Throws Error (input) if it can't be executed or
/// watched. Mistakes of the program itself are no errors here; the recording shows them. If the
/// consumer throws, the program goes on unwatched, and the error is thrown when it has ended.
///
/// With live_streams, the consumer gets begin() when the program starts, its accesses, loops and
/// events while it runs, and end() with the whole recording. With `stream` it gets only begin() and
/// end(), afterwards.
int watch(const WatchOptions& options, Consumer& consumer);

}  // namespace Atoll::trace
