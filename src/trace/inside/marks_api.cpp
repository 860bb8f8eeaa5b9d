// Functions that a program's API marks (include/atoll/marks/marks.h) call while it is watched.
#include "atoll/marks/marks.h"

#include <string.h>
#include <unistd.h>

#include <atomic>

#include "base/environment.hpp"
#include "trace/inside/magic.hpp"
#include "trace/recorder/recorder.hpp"

namespace {

namespace rec = Atoll::trace::recorder;
namespace inside = Atoll::trace::inside;
using inside::MagicKind;

/// Whether an emulator's plugin records. It is determined once, as the check's own accesses belong
/// to no task. (A local constant would need C++'s run-time library.)
enum class Emulated : int { unknown, no, yes };
std::atomic<Emulated> emulated{Emulated::unknown};

bool is_emulated() {
  if (emulated.load(std::memory_order_relaxed) == Emulated::unknown)
    emulated.store(Atoll::environment_variable(inside::kMagicVariable) == nullptr ? Emulated::no
                                                                                  : Emulated::yes,
                   std::memory_order_relaxed);
  return emulated.load(std::memory_order_relaxed) == Emulated::yes;
}

/// Reports to the emulator's plugin, if there is one.
template <class Kind, class Payload, class More>
void call_recorder(Kind kind, Payload payload, std::uint64_t bytes, More more) {
  if (is_emulated()) ::syscall(inside::kMagicCall, kind, payload, bytes, more, 0);
}

void mark(rec::Mark value) {
  if (rec::attach()) return rec::mark(rec::current_thread(), value);
  const rec::Marked payload = {value};
  call_recorder(rec::EventKind::mark, &payload, sizeof payload, nullptr);
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
  if (rec::attach()) return rec::declare_loop(loop, iterations, chunk, fingerprint);
  const inside::TaskLoopReport report = {iterations, chunk, fingerprint};
  call_recorder(MagicKind::task_loop, &report, sizeof report, loop);
}
ATOLL_EXPORTED void atoll_reduction(const void* begin, std::uint64_t bytes) {
  if (rec::attach()) return rec::declare_reduction(begin, bytes);
  call_recorder(MagicKind::reduction, begin, bytes, nullptr);
}
/// Records the name of one of Atoll's own arrays (src/program/memory_names.hpp).
extern "C" ATOLL_EXPORTED void atoll_memory_name(const void* begin, std::uint64_t bytes,
                                                 const char* name) {
  const rec::Allocated range = {reinterpret_cast<std::uintptr_t>(begin), bytes, 0, 0};
  const std::size_t length = ::strlen(name) + 1;
  if (rec::attach())
    return rec::emit(rec::current_thread(), rec::EventKind::described, &range, sizeof range, name,
                     length);
  if (is_emulated())
    ::syscall(inside::kMagicCall, rec::EventKind::described, &range, sizeof range, name, length);
}
ATOLL_EXPORTED void atoll_task_begin(const char* loop, std::uint64_t task) {
  if (rec::attach()) return rec::begin_task(rec::current_thread(), loop, task);
  call_recorder(MagicKind::task_begun, task, 0, loop);
}
ATOLL_EXPORTED void atoll_task_end() {
  if (rec::attach()) return rec::end_task(rec::current_thread());
  call_recorder(MagicKind::task_ended, nullptr, 0, nullptr);
}
