// Reader of traces, the files that `atoll trace -o FILE` and WatchOptions::stream_file write.
#pragma once

#include <string>

#include "atoll/recording/recording.hpp"

namespace Atoll::recording {

/// Passes a file's streams to the consumer: begin with the whole recording; then accesses (at most
/// 4096 per call), loops and events; then end. A stream's number is that of its thread
/// (Thread::id), and its records are passed in their order. This thread calls begin and end. Up to
/// StreamWishes::at_once threads pass different streams concurrently. Throws Error (input) if the
/// file does not exist or is damaged; the message has the position of the damage. Passes on
/// exceptions of the consumer.
void read_stream(const std::string& path, Consumer& consumer);

/// Returns true if the file begins with the magic number of a trace; false if it cannot be read.
[[nodiscard]] bool is_stream_file(const std::string& path);

}  // namespace Atoll::recording
