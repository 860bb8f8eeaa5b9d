#include "record/sample/backing.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "atoll/base/page_size.hpp"
#include "base/environment.hpp"
#include "marks/preloaded.hpp"
#include "record/sample/state.hpp"
#include "record/stream_words.hpp"
#include "record/waits.hpp"

namespace Atoll::record::sample {

State state;

namespace {

/// Addresses are used as offsets in the file, so adjacent allocations can share a mapping.
constexpr off_t kFileBytes = off_t{1} << 47;

// libc maps an allocation separately if it is larger than all allocations freed so far; from
// kMappedByLibc on, always. It would have reused other freed memory, with its pages.
constexpr std::size_t kMappedByLibc = 32 << 20, kMappedByLibcAtFirst = 128 << 10;
std::atomic<std::size_t> largest_freed{kMappedByLibcAtFirst};
std::atomic<std::uint64_t> freed{0};  ///< bytes that libc would have reused

int file = -1;
struct stat file_is;

std::uint64_t seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec);
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

bool failed(long result) {
  return result < 0 && result > -4096;
}

long map(std::uintptr_t begin, std::uintptr_t end, int flags, int from) {
  const long offset = from >= 0 ? static_cast<long>(begin) : 0;
  return raw_call(SYS_mmap, static_cast<long>(begin), static_cast<long>(end - begin),
                  PROT_READ | PROT_WRITE, flags | MAP_FIXED | MAP_NORESERVE, from, offset);
}

/// Returns false if the program has closed the file, as daemons close all files, and opened another
/// one with the same descriptor.
bool file_is_ours() {
  struct stat about = {};
  return file >= 0 && ::fstat(file, &about) == 0 && about.st_ino == file_is.st_ino &&
         about.st_dev == file_is.st_dev;
}

/// Opens the file with a high descriptor, so that the program's own descriptors are the same as
/// without sampling.
void open_file() {
  const int low = ::memfd_create("atoll-sampled", MFD_CLOEXEC);
  if (low < 0) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t least = limit.rlim_cur < 1024 ? limit.rlim_cur : 1024;
  file = ::fcntl(low, F_DUPFD_CLOEXEC, static_cast<int>(least) - 16);
  if (file >= 0)
    ::close(low);
  else
    file = low;
  if (::ftruncate(file, kFileBytes) == 0 && ::fstat(file, &file_is) == 0) return;
  ::close(file);
  file = -1;
}

/// Makes the pages of a range private, with their contents and permanently. If the file is lost,
/// they are copied.
void make_private(Range& range) {
  if (!range.shared) return;
  state.ranges.set_private(range);
  if (file_is_ours()) {
    map(range.begin, range.end, MAP_PRIVATE, file);
    return;
  }
  const std::size_t bytes = range.end - range.begin;
  const long copy = raw_call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (failed(copy)) return;
  __builtin_memcpy(reinterpret_cast<void*>(copy), reinterpret_cast<void*>(range.begin), bytes);
  raw_call(SYS_mremap, copy, static_cast<long>(bytes), static_cast<long>(bytes),
           MREMAP_MAYMOVE | MREMAP_FIXED, static_cast<long>(range.begin));
}

/// A forked child would share memory with the file, so all ranges become private in both processes,
/// as mappings of the same file, which is not written any more. Later allocations use another file.
void before_fork() {
  state.lock.lock();
  for (Range& range : state.ranges) make_private(range);
}

void close_file() {
  if (file_is_ours()) ::close(file);
  file = -1;
}

void after_fork_in_parent() {
  close_file();
  state.lock.unlock();
}

void after_fork_in_child() {
  close_file();
  state.withdrawing = false;
  state.lock.unlock();
}

void back_part(std::uintptr_t begin, std::uintptr_t end, std::uint32_t stands_for) {
  if (!state.ranges.add({begin, end, true, stands_for})) return;
  if (failed(map(begin, end, MAP_SHARED, file))) state.ranges.cut(begin, end);
}

/// Must be called once in each process.
void attach() {
  const char* path = environment_variable(kControlVariable);
  if (path == nullptr) return;
  const int shared = ::open(path, O_RDWR | O_CLOEXEC);
  if (shared < 0) return;
  const long mapped =
      raw_call(SYS_mmap, 0, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
  ::close(shared);
  if (failed(mapped)) return;
  auto* control = reinterpret_cast<Control*>(mapped);
  if (control->magic != kControlMagic ||
      ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0) {
    raw_call(SYS_munmap, mapped, sizeof(Control));
    return;
  }
  state.control = control;
}

bool attached() {
  static std::atomic<int> done{0};  // 1: another thread is attaching
  int none = 0;
  if (done.load(std::memory_order_acquire) == 2) return state.control != nullptr;
  if (!done.compare_exchange_strong(none, 1)) return false;
  attach();
  done.store(2, std::memory_order_release);
  return state.control != nullptr;
}

}  // namespace

bool takes(std::size_t bytes) {
  if (!attached() || bytes >= kMappedByLibc) return true;
  static std::atomic<std::uint64_t> began{0};
  std::uint64_t begin = 0;
  const std::uint64_t now = seconds();
  if (began.compare_exchange_strong(begin, now)) begin = now;
  if (freed.load(std::memory_order_relaxed) <=
      (now - begin + 1) * state.control->fresh_bytes_per_second)
    return true;
  state.control->left_to_libc.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void back(void* address, std::size_t bytes) {
  const int kept = errno;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (attached() && at + bytes <= static_cast<std::uintptr_t>(kFileBytes)) {
    state.lock.lock();
    if (file < 0) open_file();
    if (!file_is_ours()) {
      state.control->unsafe.fetch_add(1, std::memory_order_relaxed);
    } else {
      const std::uint64_t apart = state.control->parts_apart;
      std::size_t watched = 0;
      for_each_part(at, bytes, apart,
                    [&](std::uintptr_t begin, std::uintptr_t end) { watched += end - begin; });
      const std::size_t each = watched == 0 ? 0 : Range::kSixteenths * whole_pages(bytes) / watched;
      for_each_part(at, bytes, apart, [&](std::uintptr_t begin, std::uintptr_t end) {
        back_part(begin, end, static_cast<std::uint32_t>(each));
      });
      start_withdrawing();
    }
    state.lock.unlock();
  }
  errno = kept;
}

void forget(void* address, std::size_t bytes) {
  if (state.control == nullptr) return;
  if (bytes < kMappedByLibc) {
    if (bytes > largest_freed.load(std::memory_order_relaxed))
      largest_freed.store(bytes, std::memory_order_relaxed);
    else
      freed.fetch_add(bytes, std::memory_order_relaxed);
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  state.lock.lock();
  for (const Range& range : state.ranges)
    // Also frees the file's memory.
    if (range.shared && range.begin >= begin && range.end <= begin + whole_pages(bytes))
      raw_call(SYS_madvise, static_cast<long>(range.begin),
               static_cast<long>(range.end - range.begin), MADV_REMOVE);
  state.ranges.cut(begin, begin + whole_pages(bytes));
  state.lock.unlock();
}

void replaced(void* address, std::size_t bytes) {
  if (state.control == nullptr) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  state.lock.lock();
  state.ranges.cut(begin, begin + whole_pages(bytes));
  state.lock.unlock();
}

bool is_sampled() {
  return attached();
}

}  // namespace Atoll::record::sample

using namespace Atoll::record::sample;

namespace {

/// Timed streams: records the effect of madvise() on pages.
void record_advice(std::uintptr_t begin, std::size_t bytes, int advice) {
  using Kind = Atoll::record::RecordKind;
  const auto send = [&](Kind kind, std::uint64_t how) {
    const std::uint64_t words[3] = {begin, bytes, how};
    atoll_tell_placement(static_cast<std::uint32_t>(kind), words, 3);
  };
  switch (advice) {
    case MADV_HUGEPAGE:
    case MADV_NOHUGEPAGE:
      return send(Kind::huge_pages, advice == MADV_HUGEPAGE ? 1 : 0);
    case MADV_POPULATE_READ:
    case MADV_POPULATE_WRITE:
      return send(Kind::pages_populated, advice == MADV_POPULATE_WRITE ? 1 : 0);
    case MADV_DONTNEED:
      return send(Kind::pages_discarded, 0);
    default:
      return;
  }
}

}  // namespace

/// Interposed calls of the program whose effect on memory in the file would differ.
extern "C" __attribute__((visibility("default"))) int madvise(void* address, std::size_t bytes,
                                                              int advice) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(address), end = begin + bytes;
  if (state.control != nullptr && (advice == MADV_DONTNEED || advice == MADV_FREE)) {
    // The program expects zeros afterwards, but the file would keep its data.
    state.lock.lock();
    for (const Range& range : state.ranges) {
      const std::uintptr_t from = begin > range.begin ? begin : range.begin;
      const std::uintptr_t until = end < range.end ? end : range.end;
      if (from >= until) continue;
      if (range.shared)
        raw_call(SYS_madvise, static_cast<long>(from), static_cast<long>(until - from),
                 MADV_REMOVE);
      else
        map(from, until, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    }
    state.lock.unlock();
  }
  const long result =
      raw_call(SYS_madvise, reinterpret_cast<long>(address), static_cast<long>(bytes), advice);
  if (!failed(result)) {
    record_advice(begin, bytes, advice);
    return static_cast<int>(result);
  }
  errno = static_cast<int>(-result);
  return -1;
}

extern "C" __attribute__((visibility("default"))) int mprotect(void* address, std::size_t bytes,
                                                               int protection) noexcept {
  // A fork could not make a protected part private without losing its protection, so it becomes
  // private now.
  const auto begin = reinterpret_cast<std::uintptr_t>(address), end = begin + bytes;
  if (state.control != nullptr) {
    state.lock.lock();
    for (Range& range : state.ranges)
      if (range.begin < end && range.end > begin) make_private(range);
    state.lock.unlock();
  }
  const long result =
      raw_call(SYS_mprotect, reinterpret_cast<long>(address), static_cast<long>(bytes), protection);
  if (!failed(result)) return 0;
  errno = static_cast<int>(-result);
  return -1;
}
