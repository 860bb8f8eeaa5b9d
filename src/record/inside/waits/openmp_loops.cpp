// Loops of OpenMP that assign their parts to threads on demand, for both run-time libraries.
#include "record/inside/waits/openmp.hpp"

using namespace Atoll::record::inside::waits;

// libgomp: functions that return a thread's first part, and the next ones.
#define ATOLL_GOMP_START(name, T)                                                         \
  ATOLL_INTERPOSE bool name##_start(T begin, T end, T step, T chunk, T* first, T* last) { \
    static constinit Next<bool (*)(T, T, T, T, T*, T*)> next{#name "_start"};             \
    return in_turn([&] { return next(begin, end, step, chunk, first, last); });           \
  }
#define ATOLL_GOMP_START_UP(name, T)                                                               \
  ATOLL_INTERPOSE bool name##_start(bool up, T begin, T end, T step, T chunk, T* first, T* last) { \
    static constinit Next<bool (*)(bool, T, T, T, T, T*, T*)> next{#name "_start"};                \
    return in_turn([&] { return next(up, begin, end, step, chunk, first, last); });                \
  }
#define ATOLL_GOMP_START_RUNTIME(name, T)                                        \
  ATOLL_INTERPOSE bool name##_start(T begin, T end, T step, T* first, T* last) { \
    static constinit Next<bool (*)(T, T, T, T*, T*)> next{#name "_start"};       \
    return in_turn([&] { return next(begin, end, step, first, last); });         \
  }
#define ATOLL_GOMP_START_RUNTIME_UP(name, T)                                              \
  ATOLL_INTERPOSE bool name##_start(bool up, T begin, T end, T step, T* first, T* last) { \
    static constinit Next<bool (*)(bool, T, T, T, T*, T*)> next{#name "_start"};          \
    return in_turn([&] { return next(up, begin, end, step, first, last); });              \
  }
#define ATOLL_GOMP_NEXT_PART(name, T)                            \
  ATOLL_INTERPOSE bool name##_next(T* first, T* last) {          \
    static constinit Next<bool (*)(T*, T*)> next{#name "_next"}; \
    return in_turn([&] { return next(first, last); });           \
  }

#define ATOLL_GOMP_PARTS(kind)                                  \
  ATOLL_GOMP_START(GOMP_loop_##kind, long)                      \
  ATOLL_GOMP_NEXT_PART(GOMP_loop_##kind, long)                  \
  ATOLL_GOMP_START_UP(GOMP_loop_ull_##kind, unsigned long long) \
  ATOLL_GOMP_NEXT_PART(GOMP_loop_ull_##kind, unsigned long long)
#define ATOLL_GOMP_RUNTIME_PARTS(kind)                                  \
  ATOLL_GOMP_START_RUNTIME(GOMP_loop_##kind, long)                      \
  ATOLL_GOMP_NEXT_PART(GOMP_loop_##kind, long)                          \
  ATOLL_GOMP_START_RUNTIME_UP(GOMP_loop_ull_##kind, unsigned long long) \
  ATOLL_GOMP_NEXT_PART(GOMP_loop_ull_##kind, unsigned long long)

ATOLL_GOMP_PARTS(dynamic)
ATOLL_GOMP_PARTS(guided)
ATOLL_GOMP_PARTS(nonmonotonic_dynamic)
ATOLL_GOMP_PARTS(nonmonotonic_guided)
ATOLL_GOMP_RUNTIME_PARTS(runtime)
ATOLL_GOMP_RUNTIME_PARTS(nonmonotonic_runtime)
ATOLL_GOMP_RUNTIME_PARTS(maybe_nonmonotonic_runtime)

ATOLL_INTERPOSE unsigned GOMP_sections_start(unsigned count) {
  static constinit Next<unsigned (*)(unsigned)> next{"GOMP_sections_start"};
  return in_turn([&] { return next(count); });
}
ATOLL_INTERPOSE unsigned GOMP_sections_next() {
  static constinit Next<unsigned (*)()> next{"GOMP_sections_next"};
  return in_turn([&] { return next(); });
}
ATOLL_INTERPOSE bool GOMP_single_start() {
  static constinit Next<bool (*)()> next{"GOMP_single_start"};
  return in_turn([&] { return next(); });
}

// libomp.
#define ATOLL_KMP_NEXT_PART(name, T, Step)                                                     \
  ATOLL_INTERPOSE std::int32_t name(void* place, std::int32_t thread, std::int32_t* is_last,   \
                                    T* first, T* last, Step* step) {                           \
    static constinit Next<std::int32_t (*)(void*, std::int32_t, std::int32_t*, T*, T*, Step*)> \
        next{#name};                                                                           \
    return in_turn([&] { return next(place, thread, is_last, first, last, step); });           \
  }
ATOLL_KMP_NEXT_PART(__kmpc_dispatch_next_4, std::int32_t, std::int32_t)
ATOLL_KMP_NEXT_PART(__kmpc_dispatch_next_4u, std::uint32_t, std::int32_t)
ATOLL_KMP_NEXT_PART(__kmpc_dispatch_next_8, std::int64_t, std::int64_t)
ATOLL_KMP_NEXT_PART(__kmpc_dispatch_next_8u, std::uint64_t, std::int64_t)

ATOLL_INTERPOSE std::int32_t __kmpc_single(void* place, std::int32_t thread) {
  static constinit Next<std::int32_t (*)(void*, std::int32_t)> next{"__kmpc_single"};
  return in_turn([&] { return next(place, thread); });
}
