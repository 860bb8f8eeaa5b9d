#include "parallel/schedule_use.hpp"

#include <atomic>

#include "parallel/append_to_named.hpp"

namespace Atoll::detail {

void report_schedule_use() {
  static std::atomic<bool> reported = false;
  if (reported.load(std::memory_order_relaxed) || reported.exchange(true)) return;
  // If the write fails, the program is reported as one that requested no tasks.
  append_to_named(kUsedScheduleVariable, "1");
}

}  // namespace Atoll::detail
