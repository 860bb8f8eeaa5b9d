// Controls which threads are counted, and when.
#pragma once

namespace Atoll::record::dbi {

/// Installs the hooks for ends of threads and forks. Call it once at the start. Returns false on
/// failure.
bool prepare_threads();

/// Brackets a call from the preloaded library to another one: this thread isn't counted in between.
void leave_library();
void return_to_library();

}  // namespace Atoll::record::dbi
