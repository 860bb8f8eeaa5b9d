// Empties the rings of streams while the program runs, and once more after it ends.
#pragma once

#include "trace/stream_sink.hpp"
#include "trace/thread_rings.hpp"
#include "trace/touched_pages.hpp"

namespace Atoll::trace {

class Drain {
 public:
  Drain(const Region& region, StreamSink& sink) : rings_(region), sink_(sink) {}
  /// Delivers the contents of the rings to the sink. Returns true if that was much, in which case
  /// the caller should call it again soon.
  bool step();
  /// Returns the pages that were accessed so far.
  [[nodiscard]] StreamedPages pages() const { return touched_.take(); }

 private:
  ThreadRings rings_;
  StreamSink& sink_;
  TouchedPages touched_;
};

}  // namespace Atoll::trace
