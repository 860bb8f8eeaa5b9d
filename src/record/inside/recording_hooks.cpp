// Hooks that record the events of interposers in the region. In a guest of an emulator, they pass
// events to the plugin by magic calls, and the plugin records them.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "atoll/base/page_size.hpp"
#include "base/environment.hpp"
#include "marks/preloaded.hpp"
#include "process/inside/hooks.hpp"
#include "process/inside/system.hpp"
#include "record/inside/magic.hpp"
#include "record/inside/python_place.hpp"
#include "record/page_cache.hpp"
#include "record/recorder.hpp"
#include "record/sample/backing.hpp"
#include "record/sample/inherited.hpp"
#include "record/stream_words.hpp"
#include "record/waits.hpp"

namespace Atoll::process::inside::hooks {
namespace {

namespace sample = record::sample;
using record::inside::kMagicCall;
using record::inside::kMagicVariable;
using record::inside::MagicKind;

bool by_magic = false;

void magic_call(MagicKind kind, std::uint64_t argument = 0) {
  const KeepErrno keep;
  ::syscall(kMagicCall, static_cast<std::uint32_t>(kind), argument, 0, 0, 0);
}

void emit(record::EventKind kind, const void* payload, std::size_t bytes,
          const void* more = nullptr, std::size_t more_bytes = 0) {
  if (!by_magic)
    return record::emit(record::start_thread(), kind, payload, bytes, more, more_bytes);
  const KeepErrno keep;
  ::syscall(kMagicCall, static_cast<std::uint32_t>(kind), payload, bytes, more, more_bytes);
}

/// Works around a crash of qemu 7.2. When the first thread is created, qemu discards all translated
/// code, as it isn't safe for parallel execution, and frees the plugin's callbacks. The new thread
/// may then be between two blocks of code, the first of which ended in a return; it would use that
/// block's freed callback and crash. A shared mapping makes qemu discard the code, too. If it is
/// made before there is another thread, this happens in a system call without callbacks.
void discard_translated_code() {
  static std::atomic<bool> ready{false};
  if (ready.exchange(true, std::memory_order_relaxed)) return;
  const KeepErrno keep;
  const long shared =
      ::syscall(SYS_mmap, 0, kPageBytes, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared != -1) ::syscall(SYS_munmap, shared, kPageBytes);
}

template <typename T>
void emit(record::EventKind kind, const T& payload) {
  emit(kind, &payload, sizeof payload);
}

std::uint64_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

/// Records an operation of the kernel on pages, in timed streams.
void record_pages(record::RecordKind kind, const void* address, std::size_t bytes,
                  std::uint64_t how) {
  const std::uint64_t words[3] = {number(address), bytes, how};
  atoll_tell_placement(static_cast<std::uint32_t>(kind), words, 3);
}

/// Records which pages of a file are in the page cache. In an emulator the plugin records this more
/// precisely. Pages that the call itself populated are included, as they can't be distinguished.
void record_cached_pages(void* address, std::size_t bytes, const Mapping& mapping) {
  if (by_magic || ((mapping.flags & MAP_TYPE) == MAP_PRIVATE &&
                   (mapping.protection & PROT_WRITE) != 0 && (mapping.flags & MAP_POPULATE) != 0))
    return;
  const KeepErrno keep;
  record::CachedParts parts;
  record::find_cached(mapping.file, mapping.offset, bytes, parts);
  for (std::size_t i = 0; i < parts.count; ++i)
    record::record_cached_pages(record::current_thread(), number(address), parts.parts[i].begin,
                                parts.parts[i].end, 0);
}

void emit_program() {
  char path[4096];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path - 1);
  const std::size_t length = n < 0 ? 0 : static_cast<std::size_t>(n);
  path[length] = '\0';
  constexpr std::size_t kMax = 64 << 10;  // longer command lines are truncated
  auto* command = static_cast<char*>(map_pages(kMax));
  std::size_t bytes = 0;
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file >= 0 && command != nullptr) {
    for (ssize_t more = 1; more > 0 && bytes != kMax - 1;) {
      more = ::syscall(SYS_read, file, command + bytes, kMax - 1 - bytes);
      if (more > 0) bytes += static_cast<std::size_t>(more);
    }
  }
  if (file >= 0) ::close(file);
  emit(record::EventKind::program, path, length + 1, command, bytes);
  if (command != nullptr) unmap_pages(command, kMax);
}

}  // namespace

bool start() {
  by_magic = environment_variable(kMagicVariable) != nullptr;
  if (!by_magic && !record::attach()) return false;
  if (by_magic) magic_call(MagicKind::thread_started);
  sample::note_units();
  emit_program();
  if (atoll_process_begins != nullptr) atoll_process_begins();
  return true;
}

Wanted wanted_allocations() {
  // In production, small allocations aren't recorded: looking up each one's stack costs too much.
  return sample::is_sampled() ? Wanted::large : Wanted::all;
}

bool wants_large(const Site& /*site*/, std::size_t bytes) {
  return sample::takes(bytes);
}

void forked() {
  if (by_magic)
    magic_call(MagicKind::forked);
  else
    record::forked();
  sample::free_inherited(0);
  if (atoll_process_begins != nullptr) atoll_process_begins();
}

void exits(int code) {
  if (!by_magic) record::exits(code);  // else the plugin records the system call
}

void ending() {
  if (by_magic)
    magic_call(MagicKind::ending);
  else
    record::end_process();
}

void exec_failed() {
  if (by_magic)
    magic_call(MagicKind::exec_failed);
  else
    record::revert_end_process();
}

void request_turn() {
  record::WaitReport report{.call = record::WaitCall::requests_turn};
  atoll_tell_wait(&report);
}

void end_turn() {
  record::WaitReport report{.call = record::WaitCall::ends_turn};
  atoll_tell_wait(&report);
}

std::uint64_t on_site(const Site& site) {
  const record::SiteSeen seen{site.number, site.levels};
  emit(record::EventKind::site, &seen, sizeof seen, site.stack, site.levels * sizeof *site.stack);
  return 0;
}

void on_module(std::uint64_t bias, std::uint64_t begin, std::uint64_t end, const char* path) {
  const record::ModuleLoaded loaded{bias, begin, end};
  emit(record::EventKind::module, &loaded, sizeof loaded, path, ::strlen(path) + 1);
  record::inside::look_for_python_again();
}

void on_allocated(const Site& site, void* address, std::size_t bytes, std::uint32_t /*order*/) {
  sample::back(address, bytes);
  const record::Allocated allocated{number(address), bytes, site.number, 0};
  emit(record::EventKind::allocated, allocated);
  char place[256];
  if (record::inside::python_place(place, sizeof place))
    emit(record::EventKind::described, &allocated, sizeof allocated, place, ::strlen(place) + 1);
}

bool may_move() {
  return !sample::is_sampled();
}

void on_freed(void* address, std::size_t bytes) {
  sample::forget(address, bytes);
  emit(record::EventKind::freed, record::Freed{number(address), bytes});
}

void on_slab(const Site& site, void* address, std::size_t bytes) {
  emit(record::EventKind::slab, record::Allocated{number(address), bytes, site.number, 0});
}

void on_small(const Site& site, std::uint64_t count, std::uint64_t bytes) {
  emit(record::EventKind::small, record::SmallAllocations{site.number, 0, count, bytes});
}

void on_mapped(const Site& site, void* address, std::size_t bytes, const Mapping& mapping) {
  sample::replaced(address, bytes);
  record::Mapped mapped = {.range = {number(address), bytes, site.number, 0}};
  char path[record::kMaxPath] = "";
  if (mapping.from != nullptr) {
    mapped.backing = record::Backing::moved;
    mapped.offset = number(mapping.from);
  } else if (mapping.segment >= 0) {
    mapped.backing = record::Backing::system_v;
    mapped.inode = static_cast<std::uint64_t>(mapping.segment);
  } else {
    record::find_backing(mapped, path, mapping.flags, mapping.file, mapping.offset);
  }
  emit(record::EventKind::mapped, &mapped, sizeof mapped, path, ::strlen(path) + 1);
  if (mapped.backing == record::Backing::shared_file ||
      mapped.backing == record::Backing::private_file)
    record_cached_pages(address, bytes, mapping);
  if (mapping.from != nullptr || (mapping.flags & (MAP_POPULATE | MAP_LOCKED)) == 0) return;
  const bool by_writes =
      (mapping.flags & MAP_PRIVATE) != 0 && (mapping.protection & PROT_WRITE) != 0;
  record_pages(record::RecordKind::pages_populated, address, bytes, by_writes ? 1 : 0);
}

void on_remapped(const void* from, std::size_t bytes, const void* to) {
  if (from != to) record_pages(record::RecordKind::pages_remapped, from, bytes, number(to));
}

void on_unmapped(void* address, std::size_t bytes) {
  sample::replaced(address, bytes);
  emit(record::EventKind::unmapped, record::Freed{number(address), bytes});
}

void on_brk(void* address, std::size_t bytes) {
  emit(record::EventKind::brk, record::Allocated{number(address), bytes, 0, 0});
}

std::uint64_t on_creating_thread(const Site& site) {
  if (!by_magic) return record::create_thread(site.number);
  discard_translated_code();
  emit(record::EventKind::creating,
       record::Creating{site.number});  // the plugin records the system call
  return 0;
}

void on_thread_not_created(std::uint64_t note) {
  if (by_magic)
    emit(record::EventKind::creating, record::Creating{0});
  else
    record::thread_not_created(note);
}

void on_thread_started(const NewThread& thread) {
  if (by_magic) {
    magic_call(MagicKind::thread_started, thread.number);
  } else {
    record::set_number(thread.number);
    record::thread_began(thread.note, static_cast<std::int32_t>(::syscall(SYS_gettid)));
  }
  sample::free_inherited(thread.creator_tid);
}

void on_joined(std::uint64_t number, std::uint64_t since_ns) {
  emit(record::EventKind::joined, record::Joined{number, since_ns});
}

void on_detached(std::uint64_t number) {
  emit(record::EventKind::detached, record::Detached{number});
}

void on_thread_ended() {
  if (by_magic)
    magic_call(MagicKind::thread_ended);
  else
    record::end_thread();
}

void on_stack(void* address, std::size_t bytes) {
  emit(record::EventKind::stack, record::Allocated{number(address), bytes, 0, 0});
}

void on_name(std::int32_t tid, const char* name) {
  const record::Named named{tid};
  emit(record::EventKind::name, &named, sizeof named, name, ::strlen(name) + 1);
}

void on_affinity(std::int32_t tid, int pu) {
  sample::note_binding();
  emit(record::EventKind::affinity, record::Bound{tid, pu});
}

}  // namespace Atoll::process::inside::hooks
