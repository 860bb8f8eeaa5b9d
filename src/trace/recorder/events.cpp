// Events: what happens besides accesses.
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/recorder/inside.hpp"

namespace Atoll::trace::recorder {
namespace {

constexpr std::size_t kMaximumText = 64 * 1024;

/// Modules that this process has told, by where they lie: few enough for a list.
struct Told {
  std::uint64_t begin[1024];
  int count;
};
Told told;
std::atomic_flag telling;
ProcessRecord* told_by = nullptr;

int tell_module(dl_phdr_info* info, std::size_t, void* context) {
  auto* thread = static_cast<ThreadState*>(context);
  ModuleLoaded module = {info->dlpi_addr, ~std::uint64_t{0}, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    if (begin < module.begin) module.begin = begin;
    if (begin + segment.p_memsz > module.end) module.end = begin + segment.p_memsz;
  }
  if (module.end == 0) return 0;
  for (int i = 0; i < told.count; ++i)
    if (told.begin[i] == module.begin) return 0;
  if (told.count < 1024) told.begin[told.count++] = module.begin;
  char path[4096];
  const char* name = info->dlpi_name;
  if (name == nullptr || name[0] == '\0') {  // the program itself
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = '\0';
    name = path;
  }
  emit(thread, EventKind::module, &module, sizeof module, name, ::strlen(name) + 1);
  return 0;
}

}  // namespace

void emit(ThreadState* thread, EventKind kind, const void* payload, std::size_t bytes,
          const void* more, std::size_t more_bytes) {
  see_fork();
  if (thread->record == nullptr) return;
  const Entered entered(thread);
  auto* event = entered ? static_cast<Event*>(take_room(thread, sizeof(Event) + bytes + more_bytes))
                        : nullptr;
  if (event == nullptr) {
    header()->lost_events.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  event->sequence = header()->sequence.fetch_add(1, std::memory_order_relaxed);
  event->time_ns = now_ns();
  event->kind = kind;
  event->bytes = static_cast<std::uint32_t>(bytes + more_bytes);
  auto* text = reinterpret_cast<std::uint8_t*>(event + 1);
  if (bytes != 0) ::memcpy(text, payload, bytes);
  if (more_bytes != 0) ::memcpy(text + bytes, more, more_bytes);
  event->previous = thread->record->events.load(std::memory_order_relaxed);
  thread->record->events.store(offset_of(event), std::memory_order_release);
}

void emit_modules(ThreadState* thread) {
  if (telling.test_and_set(std::memory_order_acquire)) return;
  if (told_by != this_process()) {  // a forked child tells them again: readers need no ancestors
    told.count = 0;
    told_by = this_process();
  }
  ::dl_iterate_phdr(tell_module, thread);
  telling.clear(std::memory_order_release);
}

void restart_events_after_fork() {
  telling.clear();
}

void emit_program(ThreadState* thread) {
  const int error = errno;
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  // Arguments may be long: read them straight into the event's room is not worth its trouble.
  static char arguments[kMaximumText];
  std::size_t read = 0;
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    for (ssize_t got = 0; read < sizeof arguments &&
                          (got = ::read(file, arguments + read, sizeof arguments - read)) > 0;)
      read += static_cast<std::size_t>(got);
    ::close(file);
  }
  emit(thread, EventKind::program, path, ::strlen(path) + 1, arguments, read);
  errno = error;
}

}  // namespace Atoll::trace::recorder
