// Functions that a program's API marks (include/atoll/marks/marks.h) call while it is watched.
#include "atoll/marks/marks.h"

#include <string.h>
#include <unistd.h>

#include <atomic>

#include "base/environment.hpp"
#include "record/inside/magic.hpp"
#include "record/recorder.hpp"

namespace {

namespace record = Atoll::record;
namespace inside = record::inside;
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

void mark(record::Mark value) {
  if (record::attach()) return record::mark(record::current_thread(), value);
  const record::Marked payload = {value};
  call_recorder(record::EventKind::mark, &payload, sizeof payload, nullptr);
}

}  // namespace

#define ATOLL_EXPORTED __attribute__((visibility("default")))

ATOLL_EXPORTED void atoll_record_begin() {
  mark(record::Mark::begin);
}
ATOLL_EXPORTED void atoll_record_end() {
  mark(record::Mark::end);
}
ATOLL_EXPORTED void atoll_iteration() {
  mark(record::Mark::iteration);
}
ATOLL_EXPORTED void atoll_task_loop(const char* loop, std::uint64_t iterations, std::uint64_t chunk,
                                    std::uint64_t fingerprint) {
  if (record::attach()) return record::declare_loop(loop, iterations, chunk, fingerprint);
  const inside::TaskLoopReport report = {iterations, chunk, fingerprint};
  call_recorder(MagicKind::task_loop, &report, sizeof report, loop);
}
ATOLL_EXPORTED void atoll_reduction(const void* begin, std::uint64_t bytes) {
  if (record::attach()) return record::declare_reduction(begin, bytes);
  call_recorder(MagicKind::reduction, begin, bytes, nullptr);
}
/// Records the name of one of Atoll's own arrays (src/program/memory_names.hpp).
extern "C" ATOLL_EXPORTED void atoll_memory_name(const void* begin, std::uint64_t bytes,
                                                 const char* name) {
  const record::Allocated range = {reinterpret_cast<std::uintptr_t>(begin), bytes, 0, 0};
  const std::size_t length = ::strlen(name) + 1;
  if (record::attach())
    return record::emit(record::current_thread(), record::EventKind::described, &range,
                        sizeof range, name, length);
  if (is_emulated())
    ::syscall(inside::kMagicCall, record::EventKind::described, &range, sizeof range, name, length);
}
ATOLL_EXPORTED void atoll_task_begin(const char* loop, std::uint64_t task) {
  if (record::attach()) return record::begin_task(record::current_thread(), loop, task);
  call_recorder(MagicKind::task_begun, task, 0, loop);
}
ATOLL_EXPORTED void atoll_task_end() {
  if (record::attach()) return record::end_task(record::current_thread());
  call_recorder(MagicKind::task_ended, nullptr, 0, nullptr);
}
