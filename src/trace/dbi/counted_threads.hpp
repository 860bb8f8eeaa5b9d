// Which threads are counted, and when.
#pragma once

namespace Atoll::trace::dbi {

/// Once, at the start: how threads begin, end and fork. False: no.
bool prepare_threads();

/// The preloaded library calls another: until its return nothing of this thread is counted.
void leave_library();
void return_to_library();

}  // namespace Atoll::trace::dbi
