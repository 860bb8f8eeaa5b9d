// What a program's API marks (include/atoll/trace/marks.h) call while it is watched.
#include "atoll/trace/marks.h"

#include <stdlib.h>
#include <unistd.h>

#include "trace/inside/magic.hpp"
#include "trace/recorder/recorder.hpp"

namespace {

namespace rec = Atoll::trace::recorder;
namespace inside = Atoll::trace::inside;

void mark(rec::Mark value) {
  if (rec::attach()) return rec::mark(rec::current_thread(), value);
  if (::getenv(inside::kMagicVariable) == nullptr) return;
  const rec::Marked payload = {value};
  ::syscall(inside::kMagicCall, rec::EventKind::mark, &payload, sizeof payload, nullptr, 0);
}

}  // namespace

#define ATOLL_EXPORTED __attribute__((visibility("default")))

ATOLL_EXPORTED void atoll_record_begin() {
  mark(rec::Mark::begin);
}
ATOLL_EXPORTED void atoll_record_end() {
  mark(rec::Mark::end);
}
ATOLL_EXPORTED void atoll_iteration() {
  mark(rec::Mark::iteration);
}
ATOLL_EXPORTED void atoll_task_loop(const char* loop, std::uint64_t iterations, std::uint64_t chunk,
                                    std::uint64_t fingerprint) {
  if (rec::attach()) rec::tell_loop(loop, iterations, chunk, fingerprint);
}
ATOLL_EXPORTED void atoll_task_begin(const char* loop, std::uint64_t task) {
  if (rec::attach()) rec::begin_task(rec::current_thread(), loop, task);
}
ATOLL_EXPORTED void atoll_task_end() {
  if (rec::attach()) rec::end_task(rec::current_thread());
}
