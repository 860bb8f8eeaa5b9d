// Empties the rings of streams while the program runs, and once more after it ends.
#pragma once

#include "recording/pages/touched_pages.hpp"
#include "recording/streams/stream_sink.hpp"
#include "recording/thread_rings.hpp"

namespace Atoll::recording {

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

}  // namespace Atoll::recording
