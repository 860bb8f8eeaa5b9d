// What records, inside the watched process (or inside its emulator): counts go straight into blocks
// in the region, found by a soft TLB. Free-standing: no exceptions, no allocation, no locks on the
// way of an access, callable before main, in signal handlers and in a forked child. All of a
// thread's calls are made by that thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/recorder/region.hpp"

namespace Atoll::trace::recorder {

/// One thread's own part. Compiled code and front ends reach into `slots` themselves.
struct alignas(64) ThreadState {
  Slot slots[kSlots];  ///< slot of a page: page % kSlots; cleared by the ticker and at a fork
  ThreadRecord* record;
  // The rest is the recorder's.
  Offset* table;  ///< open addressing: Block or PageRecord of a page
  std::uint64_t table_size, table_used;
  std::uint8_t* room;  ///< unused memory of the region
  std::uint64_t room_bytes, next_room_bytes;
  Block* scratch;  ///< kScratch blocks for pages without lines, in use in turn
  std::uint32_t next_scratch;
  std::uint32_t busy;  ///< inside the recorder: a signal handler's accesses are ignored then
  Block* ignored;      ///< where accesses go that are not recorded
  ThreadState* next_free;
};
inline constexpr std::size_t kScratch = 64;

/// Maps the region that ATOLL_RECORDING names, once a process; false: there is none, nothing is
/// recorded. `path` instead of the variable where it isn't null.
bool attach(const char* path = nullptr);
[[nodiscard]] bool attached();
[[nodiscard]] Header* header();

/// This thread's state; made at its first call. Never null: where nothing is recorded, one whose
/// accesses go nowhere. `creator_tid` 0: unknown.
ThreadState* start_thread(std::int32_t creator_tid = 0);
/// The thread ends; its state may be another's from now on.
void end_thread(ThreadState* thread);
/// In the child, after a fork: this thread goes on as the first of a new process, all others are
/// gone. Called by the recorder itself where libc's fork is used.
void forked();
/// The process ends or execs: what the recorder has kept back is written.
void end_process();

/// The counters of `page` for this thread, and the slot filled in. Never null.
Block* find_block(ThreadState* thread, std::uint64_t page);
/// After a counter became 0 by counting: records that it wrapped.
void carry(ThreadState* thread, Block* block, std::uint32_t line, bool is_write);

/// One access of `bytes` (1 to 64) at `address`, by this thread.
void record(ThreadState* thread, std::uint64_t address, std::uint32_t bytes, bool is_write);
/// Accesses of any length as from a memcpy: one for each `unit` bytes.
void record_bytes(ThreadState* thread, std::uint64_t address, std::uint64_t bytes, bool is_write,
                  std::uint32_t unit = 8);
/// n accesses at address, address + step, …
void record_range(ThreadState* thread, std::uint64_t address, std::int64_t step, std::uint64_t n,
                  std::uint32_t bytes, bool is_write);
/// n accesses of `bytes` at the same address.
void record_repeated(ThreadState* thread, std::uint64_t address, std::uint64_t n,
                     std::uint32_t bytes, bool is_write);

/// Records an event of this thread; its payload in two parts (the second may be empty).
void emit(ThreadState* thread, EventKind kind, const void* payload, std::size_t bytes,
          const void* more = nullptr, std::size_t more_bytes = 0);

/// Emits `module` for what is loaded and has not been emitted (dl_iterate_phdr). Not for emulators.
void emit_modules(ThreadState* thread);
/// Emits `program` from /proc/self. Not for emulators.
void emit_program(ThreadState* thread);

/// Records or not from now on, all processes (partial tracing).
void set_recording(bool on);

}  // namespace Atoll::trace::recorder
