// Empties the rings of streams while the program runs, and once more at its end.
#pragma once

#include "trace/stream_sink.hpp"
#include "trace/thread_rings.hpp"
#include "trace/touched_pages.hpp"

namespace Atoll::trace {

class Drain {
 public:
  Drain(const Region& region, StreamSink& sink) : rings_(region), sink_(sink) {}
  /// Hands on what is in the rings. Returns true if that was much: then the next call should be
  /// soon.
  bool step();
  /// Returns the pages that were accessed.
  [[nodiscard]] StreamedPages pages() const { return touched_.take(); }

 private:
  ThreadRings rings_;
  StreamSink& sink_;
  TouchedPages touched_;
};

}  // namespace Atoll::trace
