// Each guest thread is a thread of this process.
#include "record/emulator/count_callbacks.hpp"

#include <pthread.h>

#include "record/emulator/counted_threads.hpp"
#include "record/emulator/guest.hpp"
#include "record/tasks.hpp"

namespace Atoll::record::dbi {

using record::ThreadState;

namespace {

#define ATOLL_THREAD_LOCAL __attribute__((tls_model("initial-exec"))) thread_local constinit

/// State without pages. It is used before a thread's first access, and during calls that the
/// preloaded library makes to other libraries for its own purposes.
constinit ThreadState empty_state = {};
ATOLL_THREAD_LOCAL unsigned library_call_depth = 0;  // nesting depth of such calls

}  // namespace

ATOLL_THREAD_LOCAL ThreadState* counting = &empty_state;

namespace {

pthread_key_t ending_key;
bool has_program_event = false;  // the first thread has written the program's event

__attribute__((noinline, cold)) ThreadState* begin_thread(std::uint64_t address) {
  ThreadState* thread = record::start_thread();
  pthread_setspecific(ending_key, thread);
  if (!guest.has_library) {
    if (!has_program_event) record_program(thread);
    has_program_event = true;
    record_stack(thread, address);
  }
  return thread;
}

void on_thread_end(void*) {
  counting = &empty_state;
  record::end_thread();
}

/// Runs in a forked child, after the recorder.
void on_fork() {
  counting = &empty_state;
  if (guest.has_library || record::atoll_thread_state == nullptr) return;
  record_stack(record::atoll_thread_state, 0);
}

/// Creates this thread's state if it has none. Returns false if its accesses aren't counted now.
bool counts_now(std::uint64_t address) {
  if (library_call_depth != 0) return false;
  ThreadState* thread = record::atoll_thread_state;
  counting = thread != nullptr ? thread : begin_thread(address);
  return true;
}

}  // namespace

bool ensure_counting(std::uint64_t address) {
  return counting != &empty_state || counts_now(address);
}

bool is_counting() {
  return counting != &empty_state;
}

__attribute__((noinline, cold)) void count_slowly(std::uint32_t bytes, std::uint64_t address,
                                                  bool is_store) {
  if (counts_now(address)) record::record(counting, address, bytes, is_store);
}

void count_atomic_store(std::uint32_t bytes, std::uint64_t address) {
  if (counts_now(address)) record::record_atomic_write(counting, address, bytes);
}

__attribute__((noinline)) void count_group_slowly(const LineCounts* from, const Group* group,
                                                  std::uint64_t origin) {
  if (counting == &empty_state && !counts_now(origin)) return;
  const std::uint64_t place = (origin >> 2) % Group::kPlaces;
  // A group's counts don't say which words are read; records of tasks need that.
  if ((origin & 3) != 0 || group->lines[place] == 0 || (from == nullptr && record::is_by_task())) {
    for (std::uint32_t i = 0; i < group->members.count; ++i) {
      const Member& member = group->members.member[i];
      record::record(counting, origin + static_cast<std::uint64_t>(std::int64_t{member.offset}),
                     member.bytes, member.is_store);
    }
    return;
  }
  const LineCounts* lines = from != nullptr ? from : group->lines_at(place);
  do {
    const std::uint64_t line = (origin >> 6) + lines->line;
    record::add(counting, record::counters_of(counting, line >> 6).block, line & 63, lines->counts,
                lines->words);
  } while (!lines++->last);
}

void leave_library() {
  ++library_call_depth;
  counting = &empty_state;
}

void return_to_library() {
  if (library_call_depth != 0) --library_call_depth;
}

bool prepare_threads() {
  record::clear_slots(&empty_state);
  return pthread_key_create(&ending_key, on_thread_end) == 0 &&
         pthread_atfork(nullptr, nullptr, on_fork) == 0;
}

}  // namespace Atoll::record::dbi
