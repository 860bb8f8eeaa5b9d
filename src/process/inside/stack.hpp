// Finds the site of an interposed call from the whole call stack. A stack is unwound once. Later it
// is recognized by its return addresses, which are compared in place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "process/inside/site_heap.hpp"

namespace Atoll::process::inside {

/// Maximum number of levels that identify a stack. If a process has very many sites, fewer levels
/// are used.
inline constexpr std::uint32_t kLevels = 32;

struct StackCache;

/// This thread's state in the interposers. It is plain data, valid from the thread's first
/// instruction.
struct ThreadPart {
  StackCache* cache;        ///< null before its first call, or if memory is short
  std::uint32_t busy;       ///< > 0 inside the interposers; signal handlers take the slow path
  std::uint32_t is_ending;  ///< > 0 at the thread's end: libc's last allocations have no site
  std::uintptr_t stack_begin, stack_end;  ///< 0: unknown
  std::int32_t tid;                       ///< 0 if not determined yet
};
extern constinit thread_local ThreadPart this_thread_part;

/// The site of allocations without a known stack.
extern HeapSite unknown_site;

/// An interposed call: its return address and the interposer's frame.
struct Call {
  void* return_address;
  void* frame;
};
#define ATOLL_CALL                                          \
  ::Atoll::process::inside::Call {                          \
    __builtin_return_address(0), __builtin_frame_address(0) \
  }

/// Returns the site of a call; `unknown_site` if the stack is unknown. `busy` must be set.
[[nodiscard]] HeapSite& site_of(ThreadPart& thread, const Call& call);
/// Returns the site's pool; null if memory is short.
[[nodiscard]] Pool* pool_at(ThreadPart& thread, const Call& call, unsigned size_class);

/// Makes the cache of an ending thread available to a new thread.
void recycle_cache(ThreadPart& thread);

/// Calls report_small for all sites.
void report_all_small();
/// Called in a forked child: calls forget_small for all sites, because the parent reports them.
void forget_all_small();

}  // namespace Atoll::process::inside
