// What the interposers of a watched program see. They tell it to whoever links them: the recording
// side (libatoll-record.so: events into the region) or the applying side (libatoll-place.so: pins
// threads, binds pages). Exactly one of them defines these functions; the linker joins the two.
//
// Each function is called by the thread that it is about, inside the program's own calls of malloc,
// mmap, pthread_create, …, perhaps before main, during dlopen or in a signal handler. The functions
// make system calls but allocate nothing, take no lock that a forked child would miss, and throw
// nothing. If they allocate or map nevertheless, that isn't reported.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::process::inside {

/// A place in the program, with how it was reached. One value per distinct stack, alive for ever.
struct Site {
  std::uint32_t number;  ///< the process's own, from 1 (a forked child keeps them); 0: unknown
  std::uint32_t levels;  ///< of `stack`
  const std::uint64_t* stack;  ///< return addresses, innermost first, without the interposers'
  std::uint64_t note;          ///< what on_site returned
};

/// The arguments of a mmap; for a mremap or shmat, those of an equivalent mmap.
struct Mapping {
  int protection, flags, file;
  std::uint64_t offset = 0;    ///< in the file
  bool has_data = false;       ///< pages are there already and hold something
  const void* from = nullptr;  ///< mremap: where they were
  int segment = -1;            ///< shmat: System V's number
};

struct NewThread {
  const Site* site;  ///< where it was created
  std::int32_t creator_tid;
  std::uint64_t note;    ///< what on_creating_thread returned
  std::uint64_t number;  ///< its pthread_t
};

namespace hooks {

/// Called once in each process, at its first allocation, by the first thread. Returns false if
/// nobody watches: then the program's calls pass through to libc, and nothing else is called.
bool start();
/// Which allocations are to be reported, known after start(). libc's heap serves the others, as it
/// would without Atoll.
enum class Wanted { nothing, large, all };
Wanted wanted_allocations();
/// True if a large one of this site is to be reported, when large ones are.
bool wants_large(const Site& site, std::size_t bytes);
/// Called in the child, after a fork.
void forked();
/// The process is about to end with this exit code. This may be called after ending(), too.
void exits(int code);
/// The process ends, or is about to execute another program.
void ending();
/// The process continues: the other program couldn't be executed.
void went_on();

/// A stack was seen for the first time. The result becomes Site::note. This is called once for each
/// site, one at a time.
std::uint64_t on_site(const Site& site);
/// Code and data were loaded at [begin, end); address = bias + the file's virtual address.
void on_module(std::uint64_t bias, std::uint64_t begin, std::uint64_t end, const char* path);

/// Reports a large allocation (>= kLargeBytes): whole pages of its own, not yet touched. It is the
/// `order`-th large one of its site, from 0.
void on_allocated(const Site& site, void* address, std::size_t bytes, std::uint32_t order);
/// Called before the allocation's pages go.
void on_freed(void* address, std::size_t bytes);
/// True if large allocations that grow may be moved by mremap, their pages as they are. It is true
/// if nobody defines this function.
bool may_move();
/// Around what gives the thread addresses that depend on which thread comes first: whoever
/// simulates the program gives turns. Not called with a lock held. They do nothing if nobody
/// defines them.
void wants_turn();
void turn_over();
/// Reports pages for small allocations of one site, not yet touched.
void on_slab(const Site& site, void* address, std::size_t bytes);
/// Reports what a site allocated in its slabs since the last report. It is called at a new slab and
/// when the process ends.
void on_small(const Site& site, std::uint64_t count, std::uint64_t bytes);
/// The program mapped or unmapped memory itself (mmap, mremap, munmap, shmat, shmdt).
void on_mapped(const Site& site, void* address, std::size_t bytes, const Mapping& mapping);
void on_unmapped(void* address, std::size_t bytes);
/// Pages were moved to another address (mremap). Called before what was there is reported as gone,
/// and what is there now as new. It does nothing if nobody defines it.
void on_remapped(const void* from, std::size_t bytes, const void* to);
/// The memory behind the program's data has grown by this: an allocator of its own, or libc's.
void on_brk(void* address, std::size_t bytes);

/// Called in the creator, before the thread exists. The result reaches the new thread.
std::uint64_t on_creating_thread(const Site& site);
/// Called if no thread was created then: the system refused.
void on_thread_not_created(std::uint64_t note);
/// Called in the new thread, before anything of the program runs in it.
void on_thread_started(const NewThread& thread);
/// A thread was joined, or nobody will join it. The wait began at `since_ns` (CLOCK_MONOTONIC), and
/// the number may be another thread's by now.
void on_joined(std::uint64_t number, std::uint64_t since_ns);
void on_detached(std::uint64_t number);
/// Called in the thread, after its last destructors of thread-specific data except libc's own.
void on_thread_ended();
/// Reports this thread's stack.
void on_stack(void* address, std::size_t bytes);
/// A thread got a name.
void on_name(std::int32_t tid, const char* name);
/// The program bound a thread (0 if it isn't known which) to processing unit `pu`, or to several
/// (-1).
void on_affinity(std::int32_t tid, int pu);

}  // namespace hooks

/// An allocation of this size or more has pages of its own, whose addresses aren't given out again.
inline constexpr std::size_t kLargeBytes = 64 << 10;

/// While one lives, it is this thread's turn to get addresses (hooks::wants_turn).
class InTurn {
 public:
  InTurn() { hooks::wants_turn(); }
  ~InTurn() { hooks::turn_over(); }
  InTurn(const InTurn&) = delete;
  InTurn& operator=(const InTurn&) = delete;
};

}  // namespace Atoll::process::inside
