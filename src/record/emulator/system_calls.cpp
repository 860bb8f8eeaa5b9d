// Handles the guest's system calls that affect the recording: magic calls of the library, execve
// and, if there is no library, calls that change mappings.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <initializer_list>
#include <utility>

#include "record/emulator/counted_threads.hpp"
#include "record/emulator/fills.hpp"
#include "record/emulator/guest.hpp"
#include "record/emulator/library.hpp"
#include "record/emulator/signal_frames.hpp"
#include "record/inside/magic.hpp"
#include "record/waits.hpp"

namespace Atoll::record::dbi {
namespace {

using inside::MagicKind;
using record::EventKind;

// Set while this thread creates another one: the creation's site, and the CreationRecord.
__attribute__((tls_model("initial-exec"))) thread_local std::uint32_t creation_site = 0;
__attribute__((tls_model("initial-exec"))) thread_local record::Offset creation = 0;

constexpr std::int64_t kClone3 = 435;  // the same number for 32 and 64 bits
std::atomic<bool> lacks_clone3{false};

/// Removes accesses that a native run doesn't have. With clone3, the creator of a thread doesn't
/// access the new stack. If the emulator lacks clone3, libc uses clone and writes the first words
/// of the new stack: two, or four in 32-bit programs.
void remove_stack_setup_writes(std::uint64_t stack) {
  const std::uint64_t bytes = guest.is_64_bit ? 8 : 4;
  for (std::uint64_t at = 0; at != 16; at += bytes)
    record::take_back_write(record::current_thread(), stack + at);
}

bool creates_thread(const SystemCall& call) {
  return call.number == numbers().clone && (call.argument[0] & CLONE_THREAD) != 0;
}

const char* name_at(std::uint64_t address) {
  return static_cast<const char*>(at_guest(address));
}

void on_magic(const std::uint64_t (&argument)[6]) {
  const auto kind = static_cast<std::uint32_t>(argument[0]);
  switch (static_cast<MagicKind>(kind)) {
    case MagicKind::thread_started:
      note_begin();
      return record::set_number(argument[1]);
    case MagicKind::ending:
      record::end_process();
      return;
    case MagicKind::exec_failed:
      record::revert_end_process();
      return;
    case MagicKind::task_loop: {
      const auto* report = static_cast<const inside::TaskLoopReport*>(at_guest(argument[1]));
      return record::declare_loop(name_at(argument[3]), report->iterations, report->chunk,
                                  report->fingerprint);
    }
    case MagicKind::task_begun:
      return record::begin_task(record::current_thread(), name_at(argument[3]), argument[1]);
    case MagicKind::task_ended:
      return record::end_task(record::current_thread());
    case MagicKind::wait: {
      // Accesses of libc while a thread waits aren't counted as the program's. The const_cast is
      // valid: the guest's WaitReport is writable and receives the answer.
      auto* report = const_cast<record::WaitReport*>(
          static_cast<const record::WaitReport*>(at_guest(argument[1])));
      if (record::ends_sleep(report->call)) return_to_library();
      record::record_wait(record::current_thread(), *report);
      if (report->hides) leave_library();
      return;
    }
    case MagicKind::placement:
      return record::record_placement(
          record::current_thread(), static_cast<std::uint32_t>(argument[3]),
          static_cast<const std::uint64_t*>(at_guest(argument[1])), argument[2]);
    case MagicKind::reduction:
      return record::declare_reduction(reinterpret_cast<const void*>(argument[1]), argument[2]);
    case MagicKind::thread_ended:  // not needed: the recorder sees the ends of this
    case MagicKind::forked:        // process's threads, and its forks
      return;
  }
  if (kind >= static_cast<std::uint32_t>(MagicKind::thread_started)) return;
  if (static_cast<EventKind>(kind) == EventKind::creating) {
    creation_site = static_cast<const record::Creating*>(at_guest(argument[1]))->site;
    return;
  }
  record::ThreadState* thread = record::current_thread();
  if (static_cast<EventKind>(kind) == EventKind::mark)
    return record::mark(thread, static_cast<const record::Marked*>(at_guest(argument[1]))->value);
  record::emit(thread, static_cast<EventKind>(kind), at_guest(argument[1]), argument[2],
               at_guest(argument[3]), argument[4]);
}

/// True for the preloaded library and Atoll's other libraries in its folder.
bool is_ours(const char* path) {
  const char* name = strrchr(guest.library_file, '/') + 1;
  return strncmp(path, guest.library_file, static_cast<std::size_t>(name - guest.library_file)) ==
             0 &&
         strncmp(path + (name - guest.library_file), "libatoll-", strlen("libatoll-")) == 0;
}

/// True for run-time libraries of OpenMP. Their wait loops aren't work of the program.
bool is_openmp(const char* path) {
  const char* name = strrchr(path, '/');
  if (name == nullptr) return false;
  for (const char* of_openmp :
       {"/libgomp.so", "/libomp.so", "/libomp5.so", "/libiomp5.so", "/libomp-"})
    if (strncmp(name, of_openmp, strlen(of_openmp)) == 0) return true;
  return false;
}

/// Registers the library's code when the dynamic linker maps it.
void look_for_library(const SystemCall& call, std::int64_t result) {
  if ((call.argument[2] & PROT_EXEC) == 0 || (call.argument[3] & MAP_ANONYMOUS) != 0) return;
  char path[PATH_MAX];
  if (!mapped_path(call, path)) return;
  const auto begin = static_cast<std::uint64_t>(result);
  if (is_ours(path))
    library_is_at(begin, begin + call.argument[1]);
  else if (record::wants_waits() && is_openmp(path))
    runtime_is_at(begin, begin + call.argument[1]);
}

}  // namespace

const SystemCallNumbers& numbers() {
  static constexpr SystemCallNumbers k64 = {9, 11, 25, 12, 59, 322, 60, 231, 56, 30, 67, -1, 0};
  static constexpr SystemCallNumbers k32 = {192, 91,  163, 45,  11,  358, 1,
                                            252, 120, 397, 398, 117, 12};
  return guest.is_64_bit ? k64 : k32;
}

bool mapped_path(const SystemCall& mmap, char (&path)[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", static_cast<int>(mmap.argument[4]));
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return false;
  path[length] = 0;
  return true;
}

void on_system_call(const SystemCall& call) {
  const auto& a = call.argument;
  note_handler(call);
  note_before_fills(call);
  if (call.number == inside::kMagicCall)
    on_magic(a);
  else if (call.number == numbers().execve)
    execute(AT_FDCWD, a[0], a[1], a[2], 0);
  else if (call.number == numbers().execveat)
    execute(static_cast<int>(a[0]), a[1], a[2], a[3], static_cast<int>(a[4]));
  else if (creates_thread(call)) {
    creation = record::create_thread(std::exchange(creation_site, 0));
    if (lacks_clone3.load(std::memory_order_relaxed)) remove_stack_setup_writes(a[1]);
  } else if (call.number == numbers().exit)
    record::record_thread_end(
        record::current_thread());  // the emulator wakes the joining thread afterwards
  else if (call.number == numbers().exit_group)
    record::exits(static_cast<int>(a[0]));
}

void on_system_call_done(const SystemCall& call, std::int64_t result) {
  note_fills(call, result);
  if (call.number == kClone3 && result == -ENOSYS) lacks_clone3.store(true);
  if (creates_thread(call))
    record::thread_began(std::exchange(creation, 0),
                         result < 0 ? record::kNotCreated : static_cast<std::int32_t>(result));
  else if (!guest.has_library)
    record_memory_call(call, result);
  else if (call.number == numbers().mmap && result > 0)
    look_for_library(call, result);
}

}  // namespace Atoll::record::dbi
