// Interposers of condition variables, semaphores, barriers and joins of threads.
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <threads.h>

#include "record/inside/waits/interpose.hpp"

using namespace Atoll::record::inside::waits;

namespace {

// (libc has two versions of condition variables; the older one has a different layout.)
#define ATOLL_NEXT_OF(function, version)                  \
  constinit Next<decltype(&::function)> next_##function { \
    #function, version                                    \
  }
ATOLL_NEXT_OF(pthread_cond_wait, "GLIBC_2.3.2");
ATOLL_NEXT_OF(pthread_cond_timedwait, "GLIBC_2.3.2");
ATOLL_NEXT(pthread_cond_clockwait);
ATOLL_NEXT_OF(pthread_cond_signal, "GLIBC_2.3.2");
ATOLL_NEXT_OF(pthread_cond_broadcast, "GLIBC_2.3.2");
ATOLL_NEXT(cnd_wait);
ATOLL_NEXT(cnd_timedwait);
ATOLL_NEXT(cnd_signal);
ATOLL_NEXT(cnd_broadcast);
ATOLL_NEXT(sem_init);
ATOLL_NEXT(sem_wait);
ATOLL_NEXT(sem_trywait);
ATOLL_NEXT(sem_timedwait);
ATOLL_NEXT(sem_post);
ATOLL_NEXT(pthread_barrier_init);
ATOLL_NEXT(pthread_barrier_wait);
ATOLL_NEXT(pthread_mutex_unlock);
ATOLL_NEXT(pthread_join);
ATOLL_NEXT(thrd_join);

bool is_shared(const pthread_cond_t* condition) {
  return (condition->__data.__wrefs & 1U) != 0;
}
bool is_shared(const sem_t* semaphore) {
  int is = 0;  // libc stores the flag after the value
  ::memcpy(&is, semaphore->__size + sizeof(std::uint64_t), sizeof is);
  return is != 0;
}

void signalled(const void* condition) {
  record({.call = WaitCall::release, .count = 1, .key = key_of(condition)});
}

/// Same as wait_for_signal(), by turns only. Returns false if there is no simulator, or if libc
/// must do the wait.
bool wait_in_turns(pthread_cond_t* condition, pthread_mutex_t* mutex, int& error) {
  if (is_shared(condition) || release_key(mutex) == 0) return false;
  record_lock_access(mutex);
  if (!request_turn()) return false;
  error = next_pthread_mutex_unlock(mutex);
  released(mutex, 0);
  end_turn();
  // (A signal in between ends the wait. Spurious wake-ups are allowed.)
  request_turn(key_of(condition));
  end_turn();
  waited(condition, 0);
  if (error == 0) error = ::pthread_mutex_lock(mutex);
  return true;
}

/// Releases the mutex, waits for a signal, and acquires the mutex again.
template <typename Wait>
int wait_for_signal(const void* condition, const void* mutex, Wait&& wait) {
  released(mutex);
  record_sleep(key_of(condition), key_of(mutex));
  const int error = wait();
  if (error == 0)
    waited(condition, 0);
  else
    record_continued(key_of(condition));
  waited(mutex);
  return error;
}

template <typename Wait>
int acquire_semaphore(sem_t* semaphore, bool is_timed, Wait&& wait) {
  bool has_turn = request_turn();
  int result = next_sem_trywait(semaphore);
  end_turn();
  while (result != 0 && has_turn && !is_timed && !is_shared(semaphore)) {
    has_turn = request_turn(key_of(semaphore));
    result = next_sem_trywait(semaphore);
    end_turn();
  }
  if (result != 0) {
    record_sleep(key_of(semaphore));
    result = wait();
  }
  record({.call = result == 0 ? WaitCall::took : WaitCall::continued,
          .key = key_of(semaphore),
          .touches = kLockBytes});
  return result;
}

template <typename Thread, typename Wait>
int wait_for_end(Thread thread, Wait&& wait) {
  record_sleep(static_cast<std::uint64_t>(thread));
  const int error = wait();
  record_continued(static_cast<std::uint64_t>(thread));
  return error;
}

}  // namespace

ATOLL_INTERPOSE int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (ATOLL_OF_RUNTIME()) {
    spins();
    return next_pthread_cond_wait(condition, mutex);
  }
  if (int error = 0; wait_in_turns(condition, mutex, error)) return error;
  return wait_for_signal(condition, mutex,
                         [&] { return next_pthread_cond_wait(condition, mutex); });
}

ATOLL_INTERPOSE int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                           const timespec* until) {
  if (ATOLL_OF_RUNTIME()) {
    spins();
    return next_pthread_cond_timedwait(condition, mutex, until);
  }
  return wait_for_signal(condition, mutex,
                         [&] { return next_pthread_cond_timedwait(condition, mutex, until); });
}

ATOLL_INTERPOSE int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                           clockid_t clock, const timespec* until) {
  return wait_for_signal(condition, mutex, [&] {
    return next_pthread_cond_clockwait(condition, mutex, clock, until);
  });
}

ATOLL_INTERPOSE int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  if (!ATOLL_OF_RUNTIME()) signalled(condition);
  return next_pthread_cond_signal(condition);
}

ATOLL_INTERPOSE int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  if (!ATOLL_OF_RUNTIME()) released(condition, 0);
  return next_pthread_cond_broadcast(condition);
}

ATOLL_INTERPOSE int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  int error = 0;
  if (wait_in_turns(reinterpret_cast<pthread_cond_t*>(condition),
                    reinterpret_cast<pthread_mutex_t*>(mutex), error))
    return error == 0 ? thrd_success : thrd_error;
  return wait_for_signal(condition, mutex, [&] { return next_cnd_wait(condition, mutex); });
}

ATOLL_INTERPOSE int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return wait_for_signal(condition, mutex,
                         [&] { return next_cnd_timedwait(condition, mutex, until); });
}

ATOLL_INTERPOSE int cnd_signal(cnd_t* condition) {
  signalled(condition);
  return next_cnd_signal(condition);
}

ATOLL_INTERPOSE int cnd_broadcast(cnd_t* condition) {
  released(condition, 0);
  return next_cnd_broadcast(condition);
}

ATOLL_INTERPOSE int sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  const int result = next_sem_init(semaphore, shared, value);
  if (result == 0) record({.call = WaitCall::value, .count = value, .key = key_of(semaphore)});
  return result;
}

ATOLL_INTERPOSE int sem_wait(sem_t* semaphore) {
  return acquire_semaphore(semaphore, false, [&] { return next_sem_wait(semaphore); });
}

ATOLL_INTERPOSE int sem_timedwait(sem_t* semaphore, const timespec* until) {
  return acquire_semaphore(semaphore, true, [&] { return next_sem_timedwait(semaphore, until); });
}

ATOLL_INTERPOSE int sem_trywait(sem_t* semaphore) noexcept {
  const int result = in_turn([&] { return next_sem_trywait(semaphore); });
  if (result == 0)
    record({.call = WaitCall::took, .key = key_of(semaphore), .touches = kLockBytes});
  return result;
}

ATOLL_INTERPOSE int sem_post(sem_t* semaphore) noexcept {
  record_lock_access(semaphore);
  return in_turn([&] {
    record({.call = WaitCall::posted, .key = key_of(semaphore)});
    return next_sem_post(semaphore);
  });
}

ATOLL_INTERPOSE int pthread_barrier_init(pthread_barrier_t* barrier,
                                         const pthread_barrierattr_t* attributes,
                                         unsigned count) noexcept {
  const int error = next_pthread_barrier_init(barrier, attributes, count);
  if (error == 0) record({.call = WaitCall::participants, .count = count, .key = key_of(barrier)});
  return error;
}

ATOLL_INTERPOSE int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  record({.call = WaitCall::arrived, .hides = true, .key = key_of(barrier), .touches = kLockBytes});
  const int result = next_pthread_barrier_wait(barrier);
  record({.call = WaitCall::passed, .key = key_of(barrier)});
  return result;
}

ATOLL_INTERPOSE int pthread_join(pthread_t thread, void** result) {
  return wait_for_end(thread, [&] { return next_pthread_join(thread, result); });
}

ATOLL_INTERPOSE int thrd_join(thrd_t thread, int* result) {
  return wait_for_end(thread, [&] { return next_thrd_join(thread, result); });
}
