// Reads a trace, as `atoll trace -o FILE` and WatchOptions::stream_file store it.
#pragma once

#include <string>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

/// Hands a file's streams to the consumer: begin with the whole recording; then accesses (at most
/// 4096 at once), loops and events; then end. Each stream has the number of its thread
/// (Thread::id), and comes in its order; StreamWishes::at_once says how many streams' calls may
/// come at the same time, from different threads. begin and end are called by this thread. Throws
/// Error (input) if there is no such file or it is damaged, with the place; and what the consumer
/// throws.
void read_stream(const std::string& path, Consumer& consumer);

/// True if the file begins as a trace does. False for what can't be read.
[[nodiscard]] bool is_stream_file(const std::string& path);

}  // namespace Atoll::trace
