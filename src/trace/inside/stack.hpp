// Which site the program is at: the whole call stack, unwound once and from then on recognised by
// its return addresses, which are compared where they lie on the stack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/inside/site_heap.hpp"

namespace Atoll::trace::inside {

/// Deepest stack that is told apart; less once a process has very many sites.
inline constexpr std::uint32_t kLevels = 32;

struct StackCache;

/// This thread's part of the interposers. Plain data: valid from the thread's first instruction on.
struct ThreadPart {
  StackCache* cache;    ///< null until its first call, and where memory is out
  std::uint32_t busy;   ///< > 0: inside; a signal handler's calls take the long way then
  std::uint32_t quiet;  ///< > 0: what our own calls of libc allocate has no site
  std::uintptr_t stack_begin, stack_end;  ///< 0: unknown
  std::int32_t tid;                       ///< 0: not asked for yet
};
extern constinit thread_local ThreadPart this_thread_part;

/// What is allocated where no stack can be had.
extern HeapSite unknown_site;

/// The call that an interposer answers: where it returns to, and the interposer's frame.
struct Call {
  void* return_address;
  void* frame;
};
#define ATOLL_CALL                                          \
  ::Atoll::trace::inside::Call {                            \
    __builtin_return_address(0), __builtin_frame_address(0) \
  }

/// Must be called with `busy` set. Never null: `unknown_site` at worst.
[[nodiscard]] HeapSite& site_of(ThreadPart& thread, const Call& call);
/// The pool of that site; null: out of memory.
[[nodiscard]] Pool* pool_at(ThreadPart& thread, const Call& call, unsigned size_class);

/// Hands the cache of a thread that ends to the next one.
void recycle_cache(ThreadPart& thread);

/// Calls tell_small for all sites.
void tell_all_small();
/// In a forked child: what the parent allocated is the parent's to tell.
void forget_all_small();

}  // namespace Atoll::trace::inside
