// Atomic operations that code compiled with -fsanitize=thread calls. They are executed and counted.
// A read-modify-write operation counts as one read and one write, even if it fails.
#include "record/inside/gcc/count.hpp"

using Atoll::record::gcc::count;

namespace {

using Number8 = std::uint8_t;
using Number16 = std::uint16_t;
using Number32 = std::uint32_t;
using Number64 = std::uint64_t;

template <typename Number>
void count_update(const volatile Number* p) {
  count<sizeof(Number), false, true, true>(const_cast<const Number*>(p));
  count<sizeof(Number), true, true, true>(const_cast<const Number*>(p));
}

}  // namespace

// Always uses the strongest memory order, whatever the caller passes: on x86-64, only plain stores
// are slower with it.
// NOLINTBEGIN: the names are the compiler's
#define ATOLL_UPDATE(bits, name, builtin)                                             \
  ATOLL_EXPORTED Number##bits __tsan_atomic##bits##_##name(volatile Number##bits* p,  \
                                                           Number##bits value, int) { \
    count_update(p);                                                                  \
    return builtin(p, value, __ATOMIC_SEQ_CST);                                       \
  }
#define ATOLL_EXCHANGE(bits, name)                                                      \
  ATOLL_EXPORTED int __tsan_atomic##bits##_compare_exchange_##name(                     \
      volatile Number##bits* p, Number##bits* expected, Number##bits value, int, int) { \
    count_update(p);                                                                    \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,     \
                                       __ATOMIC_SEQ_CST)                                \
               ? 1                                                                      \
               : 0;                                                                     \
  }
#define ATOLL_ATOMICS(bits)                                                                      \
  ATOLL_EXPORTED Number##bits __tsan_atomic##bits##_load(const volatile Number##bits* p, int) {  \
    count<bits / 8, false>(const_cast<const Number##bits*>(p));                                  \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                              \
  ATOLL_EXPORTED void __tsan_atomic##bits##_store(volatile Number##bits* p, Number##bits value,  \
                                                  int order) {                                   \
    count<bits / 8, true>(const_cast<Number##bits*>(p));                                         \
    if (order == __ATOMIC_SEQ_CST)                                                               \
      __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                              \
    else                                                                                         \
      __atomic_store_n(p, value, __ATOMIC_RELEASE);                                              \
  }                                                                                              \
  ATOLL_UPDATE(bits, exchange, __atomic_exchange_n)                                              \
  ATOLL_UPDATE(bits, fetch_add, __atomic_fetch_add)                                              \
  ATOLL_UPDATE(bits, fetch_sub, __atomic_fetch_sub)                                              \
  ATOLL_UPDATE(bits, fetch_and, __atomic_fetch_and)                                              \
  ATOLL_UPDATE(bits, fetch_or, __atomic_fetch_or)                                                \
  ATOLL_UPDATE(bits, fetch_xor, __atomic_fetch_xor)                                              \
  ATOLL_UPDATE(bits, fetch_nand, __atomic_fetch_nand)                                            \
  ATOLL_EXCHANGE(bits, strong)                                                                   \
  ATOLL_EXCHANGE(bits, weak)                                                                     \
  ATOLL_EXPORTED Number##bits __tsan_atomic##bits##_compare_exchange_val(                        \
      volatile Number##bits* p, Number##bits expected, Number##bits value, int, int) {           \
    count_update(p);                                                                             \
    __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return expected;                                                                             \
  }
ATOLL_ATOMICS(8)
ATOLL_ATOMICS(16)
ATOLL_ATOMICS(32)
ATOLL_ATOMICS(64)

#ifdef __x86_64__
// All operations of 16 bytes use cmpxchg16b, which all but the first x86-64 processors have.
namespace {

__extension__ using Number128 = unsigned __int128;

bool exchange128(volatile Number128* p, Number128& expected, Number128 value) {
  const Number128 found = __sync_val_compare_and_swap(p, expected, value);
  const bool same = found == expected;
  expected = found;
  return same;
}

template <typename Change>
Number128 update128(volatile Number128* p, Change change) {
  count_update(p);
  Number128 old = 0;
  while (!exchange128(p, old, change(old))) {
  }
  return old;
}

}  // namespace

ATOLL_EXPORTED Number128 __tsan_atomic128_load(const volatile Number128* p, int) {
  count<16, false>(const_cast<const Number128*>(p));
  Number128 value = 0;
  exchange128(const_cast<volatile Number128*>(p), value, 0);
  return value;
}
ATOLL_EXPORTED void __tsan_atomic128_store(volatile Number128* p, Number128 value, int) {
  count<16, true>(const_cast<Number128*>(p));
  Number128 old = 0;
  while (!exchange128(p, old, value)) {
  }
}
#define ATOLL_UPDATE128(name, expression)                                                         \
  ATOLL_EXPORTED Number128 __tsan_atomic128_##name(volatile Number128* p, Number128 value, int) { \
    return update128(p, [value](Number128 old) -> Number128 { return expression; });              \
  }
ATOLL_UPDATE128(exchange, (static_cast<void>(old), value))
ATOLL_UPDATE128(fetch_add, old + value)
ATOLL_UPDATE128(fetch_sub, old - value)
ATOLL_UPDATE128(fetch_and, old& value)
ATOLL_UPDATE128(fetch_or, old | value)
ATOLL_UPDATE128(fetch_xor, old ^ value)
ATOLL_UPDATE128(fetch_nand, ~(old& value))
ATOLL_EXPORTED int __tsan_atomic128_compare_exchange_strong(volatile Number128* p,
                                                            Number128* expected, Number128 value,
                                                            int, int) {
  count_update(p);
  return exchange128(p, *expected, value) ? 1 : 0;
}
ATOLL_EXPORTED int __tsan_atomic128_compare_exchange_weak(volatile Number128* p,
                                                          Number128* expected, Number128 value, int,
                                                          int) {
  count_update(p);
  return exchange128(p, *expected, value) ? 1 : 0;
}
ATOLL_EXPORTED Number128 __tsan_atomic128_compare_exchange_val(volatile Number128* p,
                                                               Number128 expected, Number128 value,
                                                               int, int) {
  count_update(p);
  exchange128(p, expected, value);
  return expected;
}
#endif

ATOLL_EXPORTED void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
ATOLL_EXPORTED void __tsan_atomic_signal_fence(int) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
// NOLINTEND
