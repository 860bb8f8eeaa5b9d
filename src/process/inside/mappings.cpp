// Reports memory that the program requests from the system itself. libc's own mappings aren't
// interposed. If libc's heap serves the program, growth of the program break is detected when a
// thread starts and when the process ends.
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>

#include <atomic>

#include "process/inside/modules.hpp"
#include "process/inside/process.hpp"

/// sbrk under the name that no library interposes.
extern "C" void* __sbrk(std::intptr_t bytes) noexcept;  // NOLINT: the name is libc's

namespace Atoll::process::inside {
namespace {

/// Returns false for mappings that this library makes for itself.
bool reports_mapping(const ThreadPart& thread, const Call& call) {
  return reports_events(thread) &&
         !is_in_this_library(reinterpret_cast<std::uintptr_t>(call.return_address));
}

void* map(const Call& call, void* address, std::size_t bytes, int protection, int flags, int file,
          off_t offset) {
  const long result = ::syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
  void* found = reinterpret_cast<void*>(result);
  ThreadPart& thread = this_thread_part;
  if (found == MAP_FAILED || !reports_mapping(thread, call)) return found;
  const KeepErrno keep;
  const Inside inside(thread);
  hooks::on_mapped(site_of(thread, call), found, bytes,
                   {protection, flags, file, static_cast<std::uint64_t>(offset)});
  return found;
}

std::atomic<std::uintptr_t> seen_break;

}  // namespace

void start_break() {
  seen_break = reinterpret_cast<std::uintptr_t>(::__sbrk(0));
}

void report_program_break() {
  const auto now = reinterpret_cast<std::uintptr_t>(::__sbrk(0));
  std::uintptr_t seen = seen_break.load();
  while (now > seen)
    if (seen_break.compare_exchange_weak(seen, now))
      return hooks::on_brk(reinterpret_cast<void*>(seen), now - seen);
}

}  // namespace Atoll::process::inside

using namespace Atoll::process::inside;

ATOLL_INTERPOSE void* mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                           off_t offset) {
  return map(ATOLL_CALL, address, bytes, protection, flags, file, offset);
}

ATOLL_INTERPOSE void* mmap64(void* address, std::size_t bytes, int protection, int flags, int file,
                             off_t offset) {
  return map(ATOLL_CALL, address, bytes, protection, flags, file, offset);
}

ATOLL_INTERPOSE int munmap(void* address, std::size_t bytes) {
  ThreadPart& thread = this_thread_part;
  if (reports_mapping(
          thread,
          ATOLL_CALL)) {  // before: another thread may map the same addresses afterwards
    const Inside inside(thread);
    hooks::on_unmapped(address, bytes);
  }
  return static_cast<int>(::syscall(SYS_munmap, address, bytes));
}

ATOLL_INTERPOSE void* mremap(void* address, std::size_t bytes, std::size_t new_bytes, int flags,
                             ...) {
  va_list more;
  va_start(more, flags);
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is above
  void* wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  const long result = ::syscall(SYS_mremap, address, bytes, new_bytes, flags, wanted);
  void* found = reinterpret_cast<void*>(result);
  ThreadPart& thread = this_thread_part;
  const Call call = ATOLL_CALL;
  if (found == MAP_FAILED || !reports_mapping(thread, call)) return found;
  const KeepErrno keep;
  const Inside inside(thread);
  if (bytes != 0) {
    hooks::on_remapped(address, bytes < new_bytes ? bytes : new_bytes, found);
    hooks::on_unmapped(address, bytes);
  }
  hooks::on_mapped(site_of(thread, call), found, new_bytes,
                   {.protection = PROT_READ | PROT_WRITE,
                    .flags = MAP_PRIVATE | MAP_ANONYMOUS,
                    .file = -1,
                    .has_data = true,
                    .from = address});
  return found;
}

ATOLL_INTERPOSE void* shmat(int segment, const void* address, int flags) {
  const long result = ::syscall(SYS_shmat, segment, address, flags);
  void* found = reinterpret_cast<void*>(result);
  ThreadPart& thread = this_thread_part;
  const Call call = ATOLL_CALL;
  if (found == MAP_FAILED || !reports_mapping(thread, call)) return found;
  const KeepErrno keep;
  const Inside inside(thread);
  shmid_ds about = {};
  if (::shmctl(segment, IPC_STAT, &about) == 0)
    hooks::on_mapped(site_of(thread, call), found, about.shm_segsz,
                     {.protection = (flags & SHM_RDONLY) != 0 ? PROT_READ : PROT_READ | PROT_WRITE,
                      .flags = MAP_SHARED | MAP_ANONYMOUS,
                      .file = -1,
                      .has_data = true,
                      .segment = segment});
  return found;
}

ATOLL_INTERPOSE int shmdt(const void* address) {
  ThreadPart& thread = this_thread_part;
  if (reports_mapping(thread, ATOLL_CALL)) {
    const Inside inside(thread);
    hooks::on_unmapped(const_cast<void*>(address), 0);
  }
  return static_cast<int>(::syscall(SYS_shmdt, address));
}

ATOLL_INTERPOSE void* sbrk(std::intptr_t bytes) noexcept {
  void* before = ::__sbrk(bytes);
  ThreadPart& thread = this_thread_part;
  if (!reports_mapping(thread, ATOLL_CALL)) return before;
  const KeepErrno keep;
  const Inside inside(thread);
  report_program_break();
  return before;
}
