// Interposers for the interface of gcc's libgomp.
#include "record/inside/waits/openmp.hpp"

using namespace Atoll::record::inside::waits;

namespace {

using Function = void (*)(void*);

void run(void* region) {
  const Region& its = *static_cast<Region*>(region);
  const Part before = enter_region(its);
  its.function(its.data);
  leave_region(before);
}

template <typename Begin>
auto in_region(Function function, void* data, Begin&& begin) {
  Region region = {function, data};
  begin_region(region);
  if constexpr (std::is_void_v<decltype(begin(&region))>) {
    begin(&region);
    end_region(region);
  } else {
    const auto result = begin(&region);
    end_region(region);
    return result;
  }
}

/// Represents the lock that all unnamed critical sections, or all atomic ones, share.
int critical_lock, atomic_lock;

}  // namespace

#define ATOLL_GOMP_NEXT(name, ...)   \
  constinit Next<__VA_ARGS__> next { \
    #name                            \
  }

ATOLL_INTERPOSE void GOMP_parallel(Function function, void* data, unsigned threads,
                                   unsigned flags) {
  static ATOLL_GOMP_NEXT(GOMP_parallel, void (*)(Function, void*, unsigned, unsigned));
  in_region(function, data, [&](void* region) { next(run, region, threads, flags); });
}

ATOLL_INTERPOSE unsigned GOMP_parallel_reductions(Function function, void* data, unsigned threads,
                                                  unsigned flags) {
  static ATOLL_GOMP_NEXT(GOMP_parallel_reductions,
                         unsigned (*)(Function, void*, unsigned, unsigned));
  // `data` can't be replaced, as the run-time library reads its beginning.
  return may_sleep([&] { return next(function, data, threads, flags); });
}

ATOLL_INTERPOSE void GOMP_parallel_sections(Function function, void* data, unsigned threads,
                                            unsigned count, unsigned flags) {
  static ATOLL_GOMP_NEXT(GOMP_parallel_sections,
                         void (*)(Function, void*, unsigned, unsigned, unsigned));
  in_region(function, data, [&](void* region) { next(run, region, threads, count, flags); });
}

#define ATOLL_GOMP_LOOP(name)                                                                      \
  ATOLL_INTERPOSE void name(Function function, void* data, unsigned threads, long start, long end, \
                            long step, long chunk, unsigned flags) {                               \
    static ATOLL_GOMP_NEXT(name,                                                                   \
                           void (*)(Function, void*, unsigned, long, long, long, long, unsigned)); \
    in_region(function, data,                                                                      \
              [&](void* region) { next(run, region, threads, start, end, step, chunk, flags); });  \
  }
ATOLL_GOMP_LOOP(GOMP_parallel_loop_static)
ATOLL_GOMP_LOOP(GOMP_parallel_loop_dynamic)
ATOLL_GOMP_LOOP(GOMP_parallel_loop_guided)
ATOLL_GOMP_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
ATOLL_GOMP_LOOP(GOMP_parallel_loop_nonmonotonic_guided)

#define ATOLL_GOMP_RUNTIME_LOOP(name)                                                              \
  ATOLL_INTERPOSE void name(Function function, void* data, unsigned threads, long start, long end, \
                            long step, unsigned flags) {                                           \
    static ATOLL_GOMP_NEXT(name, void (*)(Function, void*, unsigned, long, long, long, unsigned)); \
    in_region(function, data,                                                                      \
              [&](void* region) { next(run, region, threads, start, end, step, flags); });         \
  }
ATOLL_GOMP_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
ATOLL_GOMP_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
ATOLL_GOMP_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

#define ATOLL_GOMP_BARRIER(name)              \
  ATOLL_INTERPOSE void name(void) {           \
    static ATOLL_GOMP_NEXT(name, void (*)()); \
    at_barrier([&] { next(); });              \
  }
ATOLL_GOMP_BARRIER(GOMP_barrier)
ATOLL_GOMP_BARRIER(GOMP_loop_end)
ATOLL_GOMP_BARRIER(GOMP_sections_end)

#define ATOLL_GOMP_CANCELLABLE_BARRIER(name)   \
  ATOLL_INTERPOSE bool name(void) {            \
    static ATOLL_GOMP_NEXT(name, bool (*)());  \
    return at_barrier([&] { return next(); }); \
  }
ATOLL_GOMP_CANCELLABLE_BARRIER(GOMP_barrier_cancel)
ATOLL_GOMP_CANCELLABLE_BARRIER(GOMP_loop_end_cancel)
ATOLL_GOMP_CANCELLABLE_BARRIER(GOMP_sections_end_cancel)

/// Returns null immediately in one thread. The others wait until that thread has called
/// GOMP_single_copy_end.
ATOLL_INTERPOSE void* GOMP_single_copy_start(void) {
  static ATOLL_GOMP_NEXT(GOMP_single_copy_start, void* (*)());
  arrive();
  void* const data = next();
  if (data != nullptr) {
    meet();
  } else {
    leave_runtime();
    record_continued(key_of(present_part.region));
  }
  return data;
}
ATOLL_INTERPOSE void GOMP_single_copy_end(void* data) {
  static ATOLL_GOMP_NEXT(GOMP_single_copy_end, void (*)(void*));
  at_barrier([&] { next(data); });
}

ATOLL_INTERPOSE void GOMP_ordered_start(void) {
  static ATOLL_GOMP_NEXT(GOMP_ordered_start, void (*)());
  enter_in_order(present_part.region, [&] { next(); });
}
ATOLL_INTERPOSE void GOMP_ordered_end(void) {
  static ATOLL_GOMP_NEXT(GOMP_ordered_end, void (*)());
  released(present_part.region, 0);
  next();
}

ATOLL_INTERPOSE void GOMP_critical_start(void) {
  static ATOLL_GOMP_NEXT(GOMP_critical_start, void (*)());
  acquire_runtime_lock(&critical_lock, [&] { next(); });
}
ATOLL_INTERPOSE void GOMP_critical_end(void) {
  static ATOLL_GOMP_NEXT(GOMP_critical_end, void (*)());
  release_runtime_lock(&critical_lock, [&] { next(); });
}
ATOLL_INTERPOSE void GOMP_critical_name_start(void** lock) {
  static ATOLL_GOMP_NEXT(GOMP_critical_name_start, void (*)(void**));
  acquire_runtime_lock(lock, [&] { next(lock); });
}
ATOLL_INTERPOSE void GOMP_critical_name_end(void** lock) {
  static ATOLL_GOMP_NEXT(GOMP_critical_name_end, void (*)(void**));
  release_runtime_lock(lock, [&] { next(lock); });
}
ATOLL_INTERPOSE void GOMP_atomic_start(void) {
  static ATOLL_GOMP_NEXT(GOMP_atomic_start, void (*)());
  acquire_runtime_lock(&atomic_lock, [&] { next(); });
}
ATOLL_INTERPOSE void GOMP_atomic_end(void) {
  static ATOLL_GOMP_NEXT(GOMP_atomic_end, void (*)());
  release_runtime_lock(&atomic_lock, [&] { next(); });
}

// Functions of both run-time libraries.
ATOLL_INTERPOSE void omp_set_lock(void* lock) {
  static ATOLL_GOMP_NEXT(omp_set_lock, void (*)(void*));
  acquire_runtime_lock(lock, [&] { next(lock); });
}
ATOLL_INTERPOSE void omp_unset_lock(void* lock) {
  static ATOLL_GOMP_NEXT(omp_unset_lock, void (*)(void*));
  release_runtime_lock(lock, [&] { next(lock); });
}
ATOLL_INTERPOSE int omp_test_lock(void* lock) {
  static ATOLL_GOMP_NEXT(omp_test_lock, int (*)(void*));
  const int has_it = in_turn([&] {
    if (!record({.call = WaitCall::tries, .key = key_of(lock)})) return 0;
    const int is_free = next(lock);
    if (is_free == 0) record({.call = WaitCall::gives_up, .key = key_of(lock)});
    return is_free;
  });
  if (has_it != 0) waited(lock, 0);
  return has_it;
}
