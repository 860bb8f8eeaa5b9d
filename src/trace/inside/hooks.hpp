// What the interposers of a watched program see, told to whoever links them: the recording side
// (libatoll-record.so: events into the region) or the placing side (libatoll-place.so: pins
// threads, binds pages). Exactly one of them defines these functions; the linker joins the two.
//
// All are called by the thread that it is about, inside the program's own calls of malloc, mmap,
// pthread_create, …, perhaps before main, during dlopen or in a signal handler: they make system
// calls but allocate nothing, take no lock that a forked child would miss, and throw nothing. What
// they allocate or map in spite of that isn't told.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::trace::inside {

/// A place in the program, with how it was reached. One value per distinct stack, alive for ever.
struct Site {
  std::uint32_t number;  ///< the process's own, from 1 (a forked child keeps them); 0: unknown
  std::uint32_t levels;  ///< of `stack`
  const std::uint64_t* stack;  ///< return addresses, innermost first, without the interposers'
  std::uint64_t note;          ///< what on_site returned
};

/// The arguments of a mmap; of a mremap or shmat, those of a mmap like it.
struct Mapping {
  int protection, flags, file;
  std::uint64_t offset = 0;    ///< in the file
  bool has_data = false;       ///< pages are there already, and hold something
  const void* from = nullptr;  ///< of a mremap: where they were
  int segment = -1;            ///< of a shmat: System V's number
};

struct NewThread {
  const Site* site;  ///< where it was created
  std::int32_t creator_tid;
  std::uint64_t note;    ///< what on_creating_thread returned
  std::uint64_t number;  ///< its pthread_t
};

namespace hooks {

/// Once a process, at its first allocation. False: nobody watches; the program's calls pass
/// through to libc and nothing else is told. The calling thread is the first one.
bool start();
/// After start(): which allocations are to be told. libc's heap serves the others, as it would.
enum class Wanted { nothing, large, all };
Wanted wanted_allocations();
/// Whether a large one of this site is, where any are.
bool wants_large(const Site& site, std::size_t bytes);
/// In the child, after a fork.
void forked();
/// The process is about to end with this exit code. After ending(), too.
void exits(int code);
/// The process ends, or is about to execute another program.
void ending();
/// It went on: the other program couldn't be executed.
void went_on();

/// A stack was seen for the first time; what it returns becomes Site::note. Once for each site, one
/// at a time.
std::uint64_t on_site(const Site& site);
/// Code and data were loaded at [begin, end); address = bias + the file's virtual address.
void on_module(std::uint64_t bias, std::uint64_t begin, std::uint64_t end, const char* path);

/// A large allocation (>= kLargeBytes): whole pages of its own, not yet touched. `order`: the n-th
/// large one of its site, from 0.
void on_allocated(const Site& site, void* address, std::size_t bytes, std::uint32_t order);
/// Before its pages go.
void on_freed(void* address, std::size_t bytes);
/// May large allocations that grow be moved by mremap, their pages as they are? Yes
/// where nobody defines this.
bool may_move();
/// Pages for small allocations of one site, not yet touched.
void on_slab(const Site& site, void* address, std::size_t bytes);
/// What a site allocated in its slabs since it was last told; at a new slab and when the process
/// ends.
void on_small(const Site& site, std::uint64_t count, std::uint64_t bytes);
/// The program mapped or unmapped memory itself (mmap, mremap, munmap, shmat, shmdt).
void on_mapped(const Site& site, void* address, std::size_t bytes, const Mapping& mapping);
void on_unmapped(void* address, std::size_t bytes);
/// The memory behind the program's data has grown by this: an allocator of its own, or libc's.
void on_brk(void* address, std::size_t bytes);

/// In the creator, before the thread exists; what it returns reaches the new thread.
std::uint64_t on_creating_thread(const Site& site);
/// Then none was created: the system refused.
void on_thread_not_created(std::uint64_t note);
/// In the new thread, before anything of the program runs in it.
void on_thread_started(const NewThread& thread);
/// A thread was joined; the wait began at `since_ns` (CLOCK_MONOTONIC), and the number may be
/// another's by now. Or nobody will join it.
void on_joined(std::uint64_t number, std::uint64_t since_ns);
void on_detached(std::uint64_t number);
/// In the thread, after its last destructors of thread-specific data but libc's own.
void on_thread_ended();
/// This thread's stack.
void on_stack(void* address, std::size_t bytes);
/// A thread got a name.
void on_name(std::int32_t tid, const char* name);
/// The program bound a thread (0 where it isn't known which): to processing unit `pu`, or to
/// several (-1).
void on_affinity(std::int32_t tid, int pu);

}  // namespace hooks

/// From this size on an allocation has pages of its own, whose addresses aren't given out again.
inline constexpr std::size_t kLargeBytes = 64 << 10;

}  // namespace Atoll::trace::inside
