// Finds the site that the program is at, from the whole call stack. It is unwound once and from
// then on recognised by its return addresses, which are compared in place on the stack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "process/inside/site_heap.hpp"

namespace Atoll::process::inside {

/// Stacks are told apart by at most this many levels; by fewer once a process has very many sites.
inline constexpr std::uint32_t kLevels = 32;

struct StackCache;

/// This thread's part of the interposers. It is plain data, valid from the thread's first
/// instruction on.
struct ThreadPart {
  StackCache* cache;    ///< null until its first call, and if memory is short
  std::uint32_t busy;   ///< > 0: inside; then a signal handler's calls take the slow way
  std::uint32_t quiet;  ///< > 0: what our own calls of libc allocate has no site
  std::uintptr_t stack_begin, stack_end;  ///< 0: unknown
  std::int32_t tid;                       ///< 0: not asked for yet
};
extern constinit thread_local ThreadPart this_thread_part;

/// The site of what is allocated if there is no stack.
extern HeapSite unknown_site;

/// The call that an interposer serves: where it returns to, and the interposer's frame.
struct Call {
  void* return_address;
  void* frame;
};
#define ATOLL_CALL                                          \
  ::Atoll::process::inside::Call {                          \
    __builtin_return_address(0), __builtin_frame_address(0) \
  }

/// Call it with `busy` set. Never returns null: `unknown_site` at worst.
[[nodiscard]] HeapSite& site_of(ThreadPart& thread, const Call& call);
/// Returns the pool of that site; null if memory is short.
[[nodiscard]] Pool* pool_at(ThreadPart& thread, const Call& call, unsigned size_class);

/// Hands the cache of a thread that ends to the next one.
void recycle_cache(ThreadPart& thread);

/// Calls tell_small for all sites.
void tell_all_small();
/// Called in a forked child: the parent reports what it allocated.
void forget_all_small();

}  // namespace Atoll::process::inside
