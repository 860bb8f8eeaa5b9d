// Decides which threads are counted, and when.
#pragma once

namespace Atoll::trace::dbi {

/// Learns, once at the start, how threads begin, end and fork. Returns false if it can't.
bool prepare_threads();

/// The preloaded library calls another one: until that returns, nothing of this thread is counted.
void leave_library();
void return_to_library();

}  // namespace Atoll::trace::dbi
