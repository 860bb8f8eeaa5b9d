// Interposers of mutexes, reader-writer locks and spin locks.
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "record/inside/waits/interpose.hpp"

using namespace Atoll::record::inside::waits;

namespace {

ATOLL_NEXT(pthread_mutex_lock);
ATOLL_NEXT(pthread_mutex_trylock);
ATOLL_NEXT(pthread_mutex_timedlock);
ATOLL_NEXT(pthread_mutex_unlock);
ATOLL_NEXT(pthread_rwlock_rdlock);
ATOLL_NEXT(pthread_rwlock_wrlock);
ATOLL_NEXT(pthread_rwlock_tryrdlock);
ATOLL_NEXT(pthread_rwlock_trywrlock);
ATOLL_NEXT(pthread_rwlock_unlock);
ATOLL_NEXT(pthread_spin_trylock);
ATOLL_NEXT(pthread_spin_unlock);
ATOLL_NEXT(mtx_lock);
ATOLL_NEXT(mtx_trylock);
ATOLL_NEXT(mtx_unlock);

/// Key of all releases of the lock. A writer waits for all holders, a reader for writers only.
std::uint64_t key_of_all(const pthread_rwlock_t* lock) {
  return key_of(lock) + 1;
}
/// Returns the key that every unlock releases, or 0 if processes share the lock.
std::uint64_t release_key(const pthread_rwlock_t* lock) {
  return lock->__data.__shared == 0 ? key_of_all(lock) : 0;
}

/// Acquires a spin lock. The thread sleeps between attempts, so it yields the processor.
template <typename Try>
int acquire_spin_lock(const volatile void* lock, Try&& attempt) {
  return acquire(lock, key_of(lock), key_of(lock), attempt, [&] {
    int error = EBUSY;
    while (error == EBUSY) {
      const timespec moment = {0, 20'000};
      ::nanosleep(&moment, nullptr);
      error = attempt();
    }
    return error;
  });
}

}  // namespace

ATOLL_INTERPOSE int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (ATOLL_OF_RUNTIME()) return next_pthread_mutex_lock(mutex);
  return acquire(
      mutex, key_of(mutex), release_key(mutex), [&] { return next_pthread_mutex_trylock(mutex); },
      [&] { return next_pthread_mutex_lock(mutex); });
}

ATOLL_INTERPOSE int pthread_mutex_timedlock(pthread_mutex_t* mutex,
                                            const timespec* until) noexcept {
  return acquire(
      mutex, key_of(mutex), 0, [&] { return next_pthread_mutex_trylock(mutex); },
      [&] { return next_pthread_mutex_timedlock(mutex, until); });
}

ATOLL_INTERPOSE int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  if (ATOLL_OF_RUNTIME()) return next_pthread_mutex_trylock(mutex);
  const int error = in_turn([&] { return next_pthread_mutex_trylock(mutex); });
  if (error == 0) waited(mutex);
  return error;
}

ATOLL_INTERPOSE int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  if (ATOLL_OF_RUNTIME()) return next_pthread_mutex_unlock(mutex);
  return release_in_turn(mutex, [&] { return next_pthread_mutex_unlock(mutex); });
}

ATOLL_INTERPOSE int mtx_lock(mtx_t* mutex) {
  return acquire(
             mutex, key_of(mutex), release_key(reinterpret_cast<const pthread_mutex_t*>(mutex)),
             [&] { return next_mtx_trylock(mutex) == thrd_success ? 0 : EBUSY; },
             [&] { return next_mtx_lock(mutex) == thrd_success ? 0 : EINVAL; }) == 0
             ? thrd_success
             : thrd_error;
}

ATOLL_INTERPOSE int mtx_trylock(mtx_t* mutex) {
  const int result = in_turn([&] { return next_mtx_trylock(mutex); });
  if (result == thrd_success) waited(mutex);
  return result;
}

ATOLL_INTERPOSE int mtx_unlock(mtx_t* mutex) {
  return release_in_turn(mutex, [&] { return next_mtx_unlock(mutex); });
}

ATOLL_INTERPOSE int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  return acquire(
      lock, key_of(lock), release_key(lock), [&] { return next_pthread_rwlock_tryrdlock(lock); },
      [&] { return next_pthread_rwlock_rdlock(lock); });
}

ATOLL_INTERPOSE int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  const int error = in_turn([&] { return next_pthread_rwlock_tryrdlock(lock); });
  if (error == 0) waited(lock);
  return error;
}

ATOLL_INTERPOSE int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  return acquire(
      lock, key_of_all(lock), release_key(lock),
      [&] { return next_pthread_rwlock_trywrlock(lock); },
      [&] { return next_pthread_rwlock_wrlock(lock); });
}

ATOLL_INTERPOSE int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  const int error = in_turn([&] { return next_pthread_rwlock_trywrlock(lock); });
  if (error == 0) {
    record({.call = WaitCall::waited, .key = key_of_all(lock), .touches = 0});
    record_lock_access(lock);
  }
  return error;
}

ATOLL_INTERPOSE int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  record_lock_access(lock);
  return in_turn([&] {
    if (lock->__data.__cur_writer != 0) released(lock, 0);
    record({.call = WaitCall::release, .key = key_of_all(lock)});
    return next_pthread_rwlock_unlock(lock);
  });
}

ATOLL_INTERPOSE int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  return acquire_spin_lock(lock, [&] { return next_pthread_spin_trylock(lock); });
}

ATOLL_INTERPOSE int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  const int error = in_turn([&] { return next_pthread_spin_trylock(lock); });
  if (error == 0) waited(lock);
  return error;
}

ATOLL_INTERPOSE int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  return release_in_turn(lock, [&] { return next_pthread_spin_unlock(lock); });
}

// Locks of Atoll's collections and elements (atoll/graph/spin_lock.hpp). Their accesses to the lock
// are recorded like any others.
ATOLL_INTERPOSE void atoll_take_lock(void* lock, bool (*try_it)(void*)) {
  acquire_spin_lock(lock, [&] { return try_it(lock) ? 0 : EBUSY; });
}

ATOLL_INTERPOSE void atoll_give_lock(void* lock, void (*give)(void*)) {
  in_turn([&] {
    released(lock, 0);
    give(lock);
    return 0;
  });
}
