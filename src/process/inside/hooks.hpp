// Callbacks of the interposers in a watched program. The library that the interposers are linked
// into defines them: the recording side (libatoll-record.so writes events to the region) or the
// applying side (libatoll-place.so binds threads and pages). Exactly one of the two is linked.
//
// Unless stated otherwise, a callback runs in the thread that the event is about, inside the
// program's own call of malloc, mmap, pthread_create, …; perhaps before main, during dlopen or in a
// signal handler. Callbacks may make system calls. They must not allocate, throw, or take a lock
// that stays locked in a forked child. Allocations and mappings that they make nevertheless aren't
// reported.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::process::inside {

/// A call site in the program, identified by its call stack. There is one object per distinct
/// stack; it is never freed.
struct Site {
  std::uint32_t number;  ///< unique in the process, from 1; kept by a forked child; 0: unknown
  std::uint32_t levels;  ///< length of `stack`
  const std::uint64_t* stack;  ///< return addresses, innermost first; none in the interposers
  std::uint64_t note;          ///< result of on_site
};

/// The arguments of mmap. For mremap and shmat, the arguments of an equivalent mmap.
struct Mapping {
  int protection, flags, file;
  std::uint64_t offset = 0;    ///< in the file, in bytes
  bool has_data = false;       ///< the pages already exist and have contents
  const void* from = nullptr;  ///< for mremap, the pages' former address
  int segment = -1;            ///< for shmat, the System V segment's identifier
};

struct NewThread {
  const Site* site;  ///< call site of its creation
  std::int32_t creator_tid;
  std::uint64_t note;    ///< result of on_creating_thread
  std::uint64_t number;  ///< its pthread_t
};

namespace hooks {

/// Called once in each process by the first thread, at the first allocation. Returns false if the
/// process isn't watched. In that case all calls pass through to libc, and no other callback is
/// called.
bool start();
/// Allocations to report; fixed after start(). libc's heap serves the others, as it would without
/// Atoll.
enum class Wanted { nothing, large, all };
Wanted wanted_allocations();
/// Returns true if large allocations of this site are reported. Called only if wanted_allocations()
/// isn't `nothing`.
bool wants_large(const Site& site, std::size_t bytes);
/// Called in the child after a fork.
void forked();
/// Called before the process ends with this exit code; perhaps after ending().
void exits(int code);
/// Called before the process ends or executes another program.
void ending();
/// Called if the exec failed and the process continues.
void exec_failed();

/// Called once for each new site; calls don't overlap. The result is stored in Site::note.
std::uint64_t on_site(const Site& site);
/// Called when a module (code and data) has been loaded at [begin, end). An address is `bias` plus
/// the virtual address in the file.
void on_module(std::uint64_t bias, std::uint64_t begin, std::uint64_t end, const char* path);

/// Called for a large allocation (>= kLargeBytes), which consists of whole, untouched pages.
/// `order` counts the site's large allocations, from 0.
void on_allocated(const Site& site, void* address, std::size_t bytes, std::uint32_t order);
/// Called before the allocation's pages are unmapped.
void on_freed(void* address, std::size_t bytes);
/// Returns true if a large allocation may grow by mremap, which keeps its pages. Optional; the
/// default is true.
bool may_move();
/// Called before and after an operation whose resulting addresses depend on the order of threads,
/// so that a simulator can fix that order. Never called with a lock held. Optional; the default
/// does nothing.
void request_turn();
void end_turn();
/// Called for a new slab: untouched pages for small allocations of one site.
void on_slab(const Site& site, void* address, std::size_t bytes);
/// Called with a site's small allocations since the last report, at each new slab and when the
/// process ends.
void on_small(const Site& site, std::uint64_t count, std::uint64_t bytes);
/// Called when the program itself mapped or unmapped memory (mmap, mremap, munmap, shmat, shmdt).
void on_mapped(const Site& site, void* address, std::size_t bytes, const Mapping& mapping);
void on_unmapped(void* address, std::size_t bytes);
/// Called when mremap moved pages to another address, before on_unmapped for the former and
/// on_mapped for the new address. Optional; the default does nothing.
void on_remapped(const void* from, std::size_t bytes, const void* to);
/// Called when the program break has grown by [address, address + bytes), either by sbrk of the
/// program or by libc.
void on_brk(void* address, std::size_t bytes);

/// Called in the creator before the thread exists. The result is stored in NewThread::note.
std::uint64_t on_creating_thread(const Site& site);
/// Called after on_creating_thread if the system refused to create the thread.
void on_thread_not_created(std::uint64_t note);
/// Called in the new thread before any code of the program runs in it.
void on_thread_started(const NewThread& thread);
/// Called when a thread was joined (the wait began at `since_ns`, CLOCK_MONOTONIC) or was detached.
/// After a join, `number` may already identify another thread.
void on_joined(std::uint64_t number, std::uint64_t since_ns);
void on_detached(std::uint64_t number);
/// Called in the thread, after the destructors of its thread-specific data; only libc's own run
/// later.
void on_thread_ended();
/// Called with the bounds of this thread's stack.
void on_stack(void* address, std::size_t bytes);
/// Called when a thread has been named.
void on_name(std::int32_t tid, const char* name);
/// Called when the program bound a thread (0 if unknown) to the processing unit `pu`, or to several
/// units (-1).
void on_affinity(std::int32_t tid, int pu);

}  // namespace hooks

/// Minimum size of a large allocation, in bytes. A large allocation has pages of its own, whose
/// addresses aren't reused.
inline constexpr std::size_t kLargeBytes = 64 << 10;

/// Between construction and destruction, no other thread gets addresses, if a simulator decides the
/// order of threads (hooks::request_turn).
class InTurn {
 public:
  InTurn() { hooks::request_turn(); }
  ~InTurn() { hooks::end_turn(); }
  InTurn(const InTurn&) = delete;
  InTurn& operator=(const InTurn&) = delete;
};

}  // namespace Atoll::process::inside
