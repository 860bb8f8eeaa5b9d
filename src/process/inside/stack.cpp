// Unwinds call stacks, and caches the results. A cached stack is looked up by return address and
// stack pointer, and is valid if all its return addresses are still at their recorded slots. Other
// stacks are walked by known frame sizes if the unwinder has met all of their return addresses
// before. The unwinder is the last resort: it takes tens of thousands of instructions for functions
// with long unwind tables. It is libgcc's, linked statically with hidden symbols; on this libc it
// takes no lock and allocates nothing.
#include "process/inside/stack.hpp"

#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "atoll/base/hash.hpp"
#include "process/inside/modules.hpp"
#include "process/inside/sites.hpp"

namespace Atoll::process::inside {

namespace {
struct CachedStack {
  std::uint64_t return_address, frame;
  HeapSite* site;
  Pool* pool;
  std::uint32_t size_class;
  std::uint32_t offsets[kLevels];  // of the site's return addresses, relative to `frame`
};
constexpr std::size_t kCached = 512;

/// Size of the frame that a return address belongs to.
struct KnownFrame {
  std::uint64_t return_address;
  std::uint32_t bytes;  // distance to the next return address; 0 if the frame is the outermost
};
constexpr std::size_t kFrames = 1024, kFrameTries = 4;
}  // namespace

struct StackCache {
  StackCache* next_free;
  std::uint32_t shard;
  CachedStack entries[kCached];
  KnownFrame frames[kFrames];
};

constinit thread_local ThreadPart this_thread_part{};
constinit HeapSite unknown_site{};

namespace {

// Recursion creates many stacks. The more sites there are, the fewer levels identify a stack.
struct Depth {
  std::uint32_t sites, levels;
};
constexpr Depth kDepths[] = {{4096, kLevels}, {16384, 8}, {65536, 3}, {~0U, 1}};
constexpr std::uint32_t kNoClass = ~0U;

Lock caches_lock;
StackCache* free_caches = nullptr;
std::uint32_t caches_made = 0;

struct Unwound {
  std::uint64_t frame, last_slot, stack_end;
  std::uint32_t levels, wanted;
  bool in_order;                // all return addresses are in this thread's stack, at `offsets`
  std::uint64_t frame_pointer;  // rbp of the last frame
  std::uint32_t fixed;          // bit i: the frame of return address i has a constant size
  std::uint64_t stack[kLevels];
  std::uint32_t offsets[kLevels];
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  auto& unwound = *static_cast<Unwound*>(data);
  const std::uint64_t address = _Unwind_GetIP(context);
  if (address == 0) return _URC_END_OF_STACK;
  if (is_in_this_library(address)) return _URC_NO_REASON;
  if (unwound.levels == unwound.wanted) return _URC_END_OF_STACK;
#ifdef __x86_64__
  const std::uint64_t slot = _Unwind_GetCFA(context) - 8;
  if (slot < unwound.last_slot || slot + 8 > unwound.stack_end ||
      *reinterpret_cast<const std::uint64_t*>(slot) != address)
    unwound.in_order = false;
  // A frame that isn't addressed by rbp has a constant size. So has this library's own frame below
  // a thread's start.
  constexpr int kRbp = 6;  // DWARF's number of the register
  if (unwound.levels != 0 && slot != unwound.frame_pointer + 8)
    unwound.fixed |= 1U << (unwound.levels - 1);
  unwound.frame_pointer = _Unwind_GetGR(context, kRbp);
  unwound.last_slot = slot;
  unwound.offsets[unwound.levels] = static_cast<std::uint32_t>(slot - unwound.frame);
#else
  unwound.in_order = false;
#endif
  unwound.stack[unwound.levels++] = address;
  return _URC_NO_REASON;
}

StackCache* cache_of(ThreadPart& thread) {
  if (thread.cache != nullptr) return thread.cache;
  const Locked locked(caches_lock);
  if (free_caches != nullptr) {
    thread.cache = free_caches;
    free_caches = thread.cache->next_free;
    return thread.cache;
  }
  auto* fresh = static_cast<StackCache*>(map_pages(sizeof(StackCache)));
  if (fresh == nullptr) return nullptr;
  fresh->shard = caches_made++ % kShards;
  return thread.cache = fresh;
}

bool still_there(const CachedStack& entry, std::uintptr_t stack_end) {
  const HeapSite& site = *entry.site;
  if (site.gone.load(std::memory_order_relaxed)) return false;
  if (entry.frame + entry.offsets[site.levels - 1] + 8 > stack_end) return false;
  for (std::uint32_t i = 0; i != site.levels; ++i) {
    const auto* slot = reinterpret_cast<const std::uint64_t*>(entry.frame + entry.offsets[i]);
    if (*slot != site.stack[i]) return false;
  }
  return true;
}

/// Returns the entry of a return address, or the entry that it may use.
KnownFrame& frame_of(StackCache& cache, std::uint64_t return_address) {
  static_assert(kFrames == 1024);
  const std::uint64_t first = golden_hash(return_address) >> 54;
  for (std::uint64_t i = first; i != first + kFrameTries; ++i) {
    KnownFrame& frame = cache.frames[i % kFrames];
    if (frame.return_address == return_address || frame.return_address == 0) return frame;
  }
  return cache.frames[first];
}

/// Stores the sizes of the frames that the unwinder found.
void learn(StackCache& cache, const Unwound& unwound) {
  for (std::uint32_t i = 0; i != unwound.levels; ++i) {
    const bool last = i + 1 == unwound.levels;
    if (last ? unwound.levels == unwound.wanted : (unwound.fixed >> i & 1U) == 0) continue;
    frame_of(cache, unwound.stack[i]) = {unwound.stack[i],
                                         last ? 0 : unwound.offsets[i + 1] - unwound.offsets[i]};
  }
}

/// Walks the stack by known frame sizes alone. Returns false if one is unknown.
bool walk(StackCache& cache, std::uint64_t return_address, Unwound& unwound) {
  std::uint64_t slot = unwound.frame + sizeof(void*);
  if (slot + 8 > unwound.stack_end) return false;
  for (;;) {
    if (*reinterpret_cast<const std::uint64_t*>(slot) != return_address) return false;
    unwound.offsets[unwound.levels] = static_cast<std::uint32_t>(slot - unwound.frame);
    unwound.stack[unwound.levels++] = return_address;
    if (unwound.levels == unwound.wanted) return true;
    const KnownFrame& frame = frame_of(cache, return_address);
    if (frame.return_address != return_address) return false;
    if (frame.bytes == 0) return true;
    slot += frame.bytes;
    if (slot + 8 > unwound.stack_end) return false;
    return_address = *reinterpret_cast<const std::uint64_t*>(slot);
  }
}

/// Returns the cache entry of this call. A new entry lacks only `pool` and `size_class`. If the
/// stack can't be cached, returns null and stores the site in `*site`.
CachedStack* look(ThreadPart& thread, const Call& call, std::uint32_t size_class, HeapSite** site) {
  *site = &unknown_site;
  if (thread.is_ending != 0) return nullptr;
  StackCache* cache = cache_of(thread);
  if (cache == nullptr) return nullptr;
  const auto return_address = reinterpret_cast<std::uint64_t>(call.return_address);
  const auto frame = reinterpret_cast<std::uint64_t>(call.frame);
  const std::uint64_t mixed =
      golden_hash(return_address ^ (frame << 16) ^ (std::uint64_t{size_class} << 32));
  CachedStack& entry = cache->entries[mixed >> 55];
  static_assert(kCached == 512);
  const bool own_stack = frame >= thread.stack_begin && frame < thread.stack_end;
  if (own_stack && entry.return_address == return_address && entry.frame == frame &&
      entry.size_class == size_class && still_there(entry, thread.stack_end)) {
    *site = entry.site;
    return &entry;
  }
  Unwound unwound;
  unwound.frame = unwound.last_slot = frame;
  unwound.stack_end = own_stack ? thread.stack_end : 0;
  unwound.levels = 0;
  unwound.in_order = true;
  unwound.fixed = 0;
  const std::uint32_t many = count_sites();
  for (const Depth& depth : kDepths) {
    unwound.wanted = depth.levels;
    if (many < depth.sites) break;
  }
  if (!own_stack || !walk(*cache, return_address, unwound)) {
    unwound.levels = 0;
    _Unwind_Backtrace(step, &unwound);
    if (unwound.in_order) learn(*cache, unwound);
  }
  if (unwound.levels == 0) {  // no unwind tables: only the caller is known
    unwound.stack[0] = return_address;
    unwound.levels = 1;
    unwound.in_order = false;
  }
  note_modules(unwound.stack, unwound.levels);
  HeapSite* found = find_site(unwound.stack, unwound.levels);
  if (found == nullptr) return nullptr;
  *site = found;
  if (!unwound.in_order) return nullptr;
  entry.return_address = return_address;
  entry.frame = frame;
  entry.site = found;
  entry.pool = nullptr;
  entry.size_class = size_class;
  for (std::uint32_t i = 0; i != unwound.levels; ++i) entry.offsets[i] = unwound.offsets[i];
  return &entry;
}

}  // namespace

HeapSite& site_of(ThreadPart& thread, const Call& call) {
  HeapSite* site = nullptr;
  (void)look(thread, call, kNoClass, &site);
  return *site;
}

Pool* pool_at(ThreadPart& thread, const Call& call, unsigned size_class) {
  HeapSite* site = nullptr;
  CachedStack* entry = look(thread, call, size_class, &site);
  if (entry != nullptr && entry->pool != nullptr && entry->pool->shard == thread.cache->shard)
    return entry->pool;
  Pool* pool = pool_of(*site, size_class, thread.cache == nullptr ? 0 : thread.cache->shard);
  if (entry != nullptr) entry->pool = pool;
  return pool;
}

void recycle_cache(ThreadPart& thread) {
  StackCache* cache = thread.cache;
  if (cache == nullptr) return;
  thread.cache = nullptr;
  const Locked locked(caches_lock);
  cache->next_free = free_caches;
  free_caches = cache;
}

void report_all_small() {
  for (std::uint32_t i = 0; i != count_sites(); ++i) report_small(site_at(i));
  report_small(unknown_site);
}

void forget_all_small() {
  for (std::uint32_t i = 0; i != count_sites(); ++i) forget_small(site_at(i));
  forget_small(unknown_site);
}

}  // namespace Atoll::process::inside
