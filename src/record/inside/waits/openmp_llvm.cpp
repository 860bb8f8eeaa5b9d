// Interposers for the interface of LLVM's libomp.
#include <stdarg.h>

#include <utility>

#include "record/inside/waits/openmp.hpp"

using namespace Atoll::record::inside::waits;

namespace {

/// A region's function has one pointer parameter for each shared variable. Additional arguments are
/// harmless, as the caller removes them from the stack.
constexpr std::size_t kMax = 40;
using Words = void* [kMax];
using Microtask = void (*)(std::int32_t* global, std::int32_t* bound, ...);

struct LlvmRegion : Region {
  Microtask task;
  void* words[kMax];
};

template <std::size_t... I>
void call(const LlvmRegion& region, std::int32_t* global, std::int32_t* bound,
          std::index_sequence<I...> /*all*/) {
  region.task(global, bound, region.words[I]...);
}

void run(std::int32_t* global, std::int32_t* bound, ...) {
  va_list list;
  va_start(list, bound);
  const LlvmRegion& region = *va_arg(list, LlvmRegion*);
  va_end(list);
  const Part before = enter_region(region);
  call(region, global, bound, std::make_index_sequence<kMax>());
  leave_region(before);
}

#define ATOLL_KMP_NEXT(name, ...)    \
  constinit Next<__VA_ARGS__> next { \
    #name                            \
  }

}  // namespace

ATOLL_INTERPOSE void __kmpc_fork_call(void* place, std::int32_t count, Microtask task, ...) {
  static constinit std::atomic<void (*)(void*, std::int32_t, Microtask, ...)> found{nullptr};
  if (found.load() == nullptr)
    found.store(reinterpret_cast<void (*)(void*, std::int32_t, Microtask, ...)>(
        ::dlsym(RTLD_NEXT, "__kmpc_fork_call")));
  LlvmRegion region = {};
  region.task = task;
  va_list list;
  va_start(list, task);
  for (std::int32_t i = 0; i < count && i < static_cast<std::int32_t>(kMax); ++i)
    region.words[i] = va_arg(list, void*);
  va_end(list);
  begin_region(region);
  found.load()(place, 1, run, &region);
  end_region(region);
}

ATOLL_INTERPOSE void __kmpc_barrier(void* place, std::int32_t thread) {
  static ATOLL_KMP_NEXT(__kmpc_barrier, void (*)(void*, std::int32_t));
  at_barrier([&] { next(place, thread); });
}

ATOLL_INTERPOSE std::int32_t __kmpc_cancel_barrier(void* place, std::int32_t thread) {
  static ATOLL_KMP_NEXT(__kmpc_cancel_barrier, std::int32_t(*)(void*, std::int32_t));
  return at_barrier([&] { return next(place, thread); });
}

ATOLL_INTERPOSE void __kmpc_critical(void* place, std::int32_t thread, void* lock) {
  static ATOLL_KMP_NEXT(__kmpc_critical, void (*)(void*, std::int32_t, void*));
  acquire_runtime_lock(lock, [&] { next(place, thread, lock); });
}

ATOLL_INTERPOSE void __kmpc_critical_with_hint(void* place, std::int32_t thread, void* lock,
                                               std::uint32_t hint) {
  static ATOLL_KMP_NEXT(__kmpc_critical_with_hint,
                        void (*)(void*, std::int32_t, void*, std::uint32_t));
  acquire_runtime_lock(lock, [&] { next(place, thread, lock, hint); });
}

ATOLL_INTERPOSE void __kmpc_end_critical(void* place, std::int32_t thread, void* lock) {
  static ATOLL_KMP_NEXT(__kmpc_end_critical, void (*)(void*, std::int32_t, void*));
  release_runtime_lock(lock, [&] { next(place, thread, lock); });
}

// Reductions. In larger teams, each thread combines its data with those of some others, which must
// be complete. The first thread of the team gets the result.
namespace {

using Reduce = void (*)(void*, void*);
struct Reduction {
  Reduce function;
  bool has_combined;
};
constinit thread_local Reduction reduction = {};

/// Reports that the thread's data are complete for now. The run-time library then notifies the
/// thread that combines them, and waits for others' data or for the end.
void data_complete(void* data) {
  released(data, 0);
  if (present_part.threads > 1) enter_runtime(key_of(present_part.region), kWakesOthers);
}

void combine(void* ours, void* theirs) {
  waited(theirs, 0);
  leave_runtime();
  reduction.function(ours, theirs);
  reduction.has_combined = true;
  data_complete(ours);
}

/// `waits_for_all`: the first thread waits for all others.
template <typename Call>
std::int32_t reduce(void* data, Reduce function, bool waits_for_all, Call&& call) {
  const Reduction before = reduction;
  reduction = {function, false};
  data_complete(data);
  const std::int32_t part = call(combine);
  leave_runtime();
  record_continued(key_of(present_part.region));
  const bool is_first = part != 0 && reduction.has_combined;
  if (part == 0 || (is_first && waits_for_all)) meet();
  reduction = before;
  return part;
}

}  // namespace

ATOLL_INTERPOSE std::int32_t __kmpc_reduce(void* place, std::int32_t thread, std::int32_t count,
                                           std::size_t bytes, void* data, Reduce function,
                                           void* lock) {
  static ATOLL_KMP_NEXT(__kmpc_reduce, std::int32_t(*)(void*, std::int32_t, std::int32_t,
                                                       std::size_t, void*, Reduce, void*));
  return reduce(data, function, false, [&](Reduce combining) {
    return next(place, thread, count, bytes, data, combining, lock);
  });
}
ATOLL_INTERPOSE void __kmpc_end_reduce(void* place, std::int32_t thread, void* lock) {
  static ATOLL_KMP_NEXT(__kmpc_end_reduce, void (*)(void*, std::int32_t, void*));
  at_barrier([&] { next(place, thread, lock); });
}
ATOLL_INTERPOSE std::int32_t __kmpc_reduce_nowait(void* place, std::int32_t thread,
                                                  std::int32_t count, std::size_t bytes, void* data,
                                                  Reduce function, void* lock) {
  static ATOLL_KMP_NEXT(__kmpc_reduce_nowait, std::int32_t(*)(void*, std::int32_t, std::int32_t,
                                                              std::size_t, void*, Reduce, void*));
  return reduce(data, function, true, [&](Reduce combining) {
    return next(place, thread, count, bytes, data, combining, lock);
  });
}
