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
  StreamWriter* stream = nullptr;  ///< record a stream, into this, and no counts
};

/// Returns the command's status as from waitpid. Throws Error (input) where it can't be executed or
/// watched; what the program itself does wrong is its own, and in the recording. Of a stream the
/// consumer gets begin and end alone.
int watch(const WatchOptions& options, Consumer& consumer);

}  // namespace Atoll::trace
