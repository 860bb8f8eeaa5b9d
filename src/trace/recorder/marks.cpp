// API marks (include/atoll/trace/marks.h): they limit what is recorded where that was asked for.
#include "trace/recorder/inside.hpp"

namespace Atoll::trace::recorder {

void mark(ThreadState* thread, Mark value) {
  const Marked payload = {value};
  emit(thread, EventKind::mark, &payload, sizeof payload);
  Header* region = header();
  if (region == nullptr) return;
  const std::uint64_t most = region->iterations;
  switch (value) {
    case Mark::begin:
    case Mark::end:
      if (region->only_between_marks != 0 && (most == 0 || region->iterations_begun <= most))
        set_recording(value == Mark::begin);
      break;
    case Mark::iteration:
      if (region->iterations_begun.fetch_add(1) == most && most != 0) set_recording(false);
      break;
  }
}

}  // namespace Atoll::trace::recorder
