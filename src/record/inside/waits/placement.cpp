#include "record/inside/waits/placement.hpp"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "record/inside/policies/policy_records.hpp"
#include "record/inside/waits/interpose.hpp"

namespace Atoll::record::inside::waits {

using record::RecordKind;

void record_populated(std::uint64_t address, std::uint64_t bytes, bool as_by_writes) {
  const std::uint64_t words[3] = {address, bytes, as_by_writes ? 1U : 0U};
  if (bytes > 0) record_placement_call(RecordKind::pages_populated, words, 3);
}

void record_binding(std::uint64_t thread, const void* pus, std::size_t bytes) {
  std::uint64_t words[1 + kMaskOfCall] = {thread};
  record_placement_call(RecordKind::bound, words, 1 + copy_mask(words + 1, pus, bytes * 8));
}

}  // namespace Atoll::record::inside::waits

using namespace Atoll::record::inside::waits;

namespace {

ATOLL_NEXT(mlock);
ATOLL_NEXT(mlock2);
ATOLL_NEXT(fread);
ATOLL_NEXT(fread_unlocked);
ATOLL_NEXT(readv);
ATOLL_NEXT(sched_setaffinity);
ATOLL_NEXT(pthread_setaffinity_np);

/// Records that the kernel has written the first `bytes` bytes of the parts, after read() or a
/// similar call. Returns `bytes`, and preserves errno.
ssize_t filled(ssize_t bytes, const iovec* parts, int count) {
  const int error = errno;
  std::size_t left = bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
  for (int i = 0; i < count && left > 0; ++i) {
    const std::size_t here = parts[i].iov_len < left ? parts[i].iov_len : left;
    record_populated(key_of(parts[i].iov_base), here, true);
    left -= here;
  }
  errno = error;
  return bytes;
}

ssize_t filled(ssize_t bytes, void* to) {
  const iovec part = {to, static_cast<std::size_t>(bytes < 0 ? 0 : bytes)};
  return filled(bytes, &part, 1);
}

}  // namespace

// The kernel maps locked memory at once, and writes to the buffers of read calls. (Calls made
// within the C library aren't intercepted.)
ATOLL_INTERPOSE int mlock(const void* address, std::size_t bytes) noexcept {
  const int result = next_mlock(address, bytes);
  if (result == 0) record_populated(key_of(address), bytes, true);
  return result;
}
ATOLL_INTERPOSE int mlock2(const void* address, std::size_t bytes, unsigned flags) noexcept {
  const int result = next_mlock2(address, bytes, flags);
  if (result == 0 && (flags & MLOCK_ONFAULT) == 0) record_populated(key_of(address), bytes, true);
  return result;
}
ATOLL_INTERPOSE std::size_t fread(void* to, std::size_t bytes, std::size_t count, FILE* file) {
  const std::size_t read = next_fread(to, bytes, count, file);
  (void)filled(static_cast<ssize_t>(read * bytes), to);
  return read;
}
ATOLL_INTERPOSE std::size_t fread_unlocked(void* to, std::size_t bytes, std::size_t count,
                                           FILE* file) {
  const std::size_t read = next_fread_unlocked(to, bytes, count, file);
  (void)filled(static_cast<ssize_t>(read * bytes), to);
  return read;
}
#define ATOLL_READ(name, parameters, arguments) \
  namespace {                                   \
  ATOLL_NEXT(name);                             \
  }                                             \
  ATOLL_INTERPOSE ssize_t name parameters {     \
    return filled(next_##name arguments, to);   \
  }
ATOLL_READ(read, (int file, void* to, std::size_t bytes), (file, to, bytes))
ATOLL_READ(pread, (int file, void* to, std::size_t bytes, off_t at), (file, to, bytes, at))
ATOLL_READ(pread64, (int file, void* to, std::size_t bytes, off64_t at), (file, to, bytes, at))
ATOLL_READ(recv, (int file, void* to, std::size_t bytes, int flags), (file, to, bytes, flags))
ATOLL_INTERPOSE ssize_t readv(int file, const iovec* parts, int count) {
  return filled(next_readv(file, parts, count), parts, count);
}

ATOLL_INTERPOSE int sched_setaffinity(pid_t tid, std::size_t bytes, const cpu_set_t* pus) noexcept {
  const int result = next_sched_setaffinity(tid, bytes, pus);
  if (result == 0) record_binding(static_cast<std::uint64_t>(tid), pus, bytes);
  return result;
}

ATOLL_INTERPOSE int pthread_setaffinity_np(pthread_t thread, std::size_t bytes,
                                           const cpu_set_t* pus) noexcept {
  const int error = next_pthread_setaffinity_np(thread, bytes, pus);
  if (error == 0)
    record_binding(::pthread_equal(thread, ::pthread_self()) != 0 ? 0 : thread, pus, bytes);
  return error;
}
