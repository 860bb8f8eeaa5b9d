// API marks (include/atoll/marks/marks.h). If requested, they limit the part of the run that is
// recorded.
#include "record/inside.hpp"

namespace Atoll::record {

void mark(ThreadState* thread, Mark value) {
  const Marked payload = {value};
  emit(thread, EventKind::mark, &payload, sizeof payload);
  Header* region = header();
  if (region == nullptr) return;
  const std::uint64_t most = region->iterations;
  switch (value) {
    case Mark::begin:
    case Mark::end:
      if (region->only_between_marks != 0) set_paused(kOutsideMarks, value == Mark::end);
      break;
    case Mark::iteration:
      if (most == 0) break;
      if (const std::uint64_t before = region->iterations_begun.fetch_add(1);
          before == 0 || before == most)
        set_paused(kOutsideIterations, before == most);
      break;
  }
}

}  // namespace Atoll::record
