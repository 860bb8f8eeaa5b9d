#include "record/emulator/fills.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "record/page_cache.hpp"

namespace Atoll::record::dbi {
namespace {

constexpr std::uint64_t kPopulateWrite = 23;  // MADV_POPULATE_WRITE
constexpr std::uint64_t kLockOnFault = 1;     // MLOCK_ONFAULT
constexpr std::uint64_t kMaxParts = 1024;     // limit of an iovec array (IOV_MAX)

void fill(std::uint64_t address, std::uint64_t bytes) {
  record::fill_pages(record::current_thread(), address, bytes);
}

void fill_parts(std::uint64_t vector, std::uint64_t count, std::uint64_t bytes) {
  for (std::uint64_t i = 0; i < std::min(count, kMaxParts) && bytes != 0; ++i) {
    struct {
      std::uint64_t address, bytes;
    } part = {};
    if (!copy_from_guest(vector + i * sizeof part, &part, sizeof part)) return;
    const std::uint64_t here = std::min(part.bytes, bytes);
    fill(part.address, here);
    bytes -= here;
  }
}

/// Most recent parts of files that threads wrote, by device and inode.
struct WrittenPart {
  dev_t device;
  ino_t inode;
  std::uint64_t begin, end;
  std::int32_t tid;
};
constexpr std::size_t kWrittenParts = 256;
WrittenPart written[kWrittenParts];
std::size_t next_written = 0;

/// For a mapping in progress with MAP_POPULATE: parts of the file that were in the page cache
/// before.
struct Pending {
  std::atomic<std::int32_t> tid;  ///< 0: the entry is free
  record::CachedParts parts;
};
constexpr std::size_t kPending = 16;
Pending pending[kPending];

/// Lock of `written`.
class Locked {
 public:
  Locked() {
    while (is_taken_.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~Locked() { is_taken_.clear(std::memory_order_release); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  static inline std::atomic_flag is_taken_{};
};

std::atomic<bool> has_begun{false};

std::int32_t present_tid() {
  return static_cast<std::int32_t>(syscall(SYS_gettid));
}

bool is_file(int file, struct stat& about) {
  return fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

void note_written(int file, std::uint64_t begin, std::uint64_t bytes) {
  struct stat about = {};
  if (bytes == 0 || !is_file(file, about)) return;
  const Locked locked;
  const std::int32_t tid = present_tid();
  WrittenPart& last = written[(next_written + kWrittenParts - 1) % kWrittenParts];
  if (last.inode == about.st_ino && last.device == about.st_dev && last.tid == tid &&
      last.end == begin)
    last.end += bytes;
  else
    written[next_written++ % kWrittenParts] = {about.st_dev, about.st_ino, begin, begin + bytes,
                                               tid};
}

/// Records a write at the file's current position, which is now at the end of the written part.
void note_written(int file, std::uint64_t bytes) {
  const off_t now = lseek(file, 0, SEEK_CUR);
  if (now >= 0 && static_cast<std::uint64_t>(now) >= bytes)
    note_written(file, static_cast<std::uint64_t>(now) - bytes, bytes);
}

bool populates(const SystemCall& call) {
  return (call.argument[3] & (MAP_POPULATE | MAP_LOCKED)) != 0;
}

/// True if the kernel copies the file's pages for the process during mmap.
bool copies(const SystemCall& call) {
  return populates(call) && (call.argument[3] & MAP_TYPE) == MAP_PRIVATE &&
         (call.argument[2] & PROT_WRITE) != 0;
}

/// Records the parts of a mapping that threads of this process wrote to the file.
void record_written(const struct stat& about, const SystemCall& call, std::uint64_t address) {
  const std::uint64_t offset = call.argument[5], bytes = call.argument[1];
  const Locked locked;
  for (std::size_t i = 0; i < kWrittenParts; ++i) {  // the oldest first
    const WrittenPart& part = written[(next_written + i) % kWrittenParts];
    if (part.inode != about.st_ino || part.device != about.st_dev || part.inode == 0) continue;
    const std::uint64_t begin = std::max(part.begin / 4096 * 4096, offset);
    const std::uint64_t end = std::min(part.end, offset + bytes);
    if (begin < end)
      record::record_cached_pages(record::current_thread(), address, begin - offset, end - offset,
                                  static_cast<std::uint64_t>(part.tid));
  }
}

void note_mapping(const SystemCall& call, std::uint64_t address) {
  const auto& a = call.argument;
  const auto file = static_cast<int>(a[4]);
  if ((a[3] & MAP_ANONYMOUS) != 0) {
    // Read-only anonymous pages are the zero page.
    if (populates(call) && (a[2] & PROT_WRITE) != 0) fill(address, a[1]);
    return;
  }
  struct stat about = {};
  if (!is_file(file, about)) return;
  const auto size = static_cast<std::uint64_t>(about.st_size);
  const std::uint64_t bytes = std::min(a[1], size - std::min(size, a[5]));
  if (copies(call)) return fill(address, bytes);
  // Excludes libraries, and ld.so.cache, which the dynamic linker maps before the program begins.
  if ((a[3] & MAP_DENYWRITE) != 0 || (guest.has_library && !has_begun.load())) return;
  const auto record_parts = [&](const record::CachedParts& parts) {
    for (std::size_t i = 0; i < parts.count; ++i)
      record::record_cached_pages(record::current_thread(), address, parts.parts[i].begin,
                                  parts.parts[i].end, 0);
  };
  if (populates(call)) {
    const std::int32_t tid = present_tid();
    if (bytes != 0)
      record::record_cached_pages(record::current_thread(), address, 0, bytes,
                                  static_cast<std::uint64_t>(tid));
    for (Pending& one : pending) {
      if (one.tid.load(std::memory_order_relaxed) != tid) continue;
      record_parts(one.parts);
      one.tid.store(0, std::memory_order_release);
    }
  } else {
    record::CachedParts parts;
    record::find_cached(file, a[5], bytes, parts);
    record_parts(parts);
  }
  record_written(about, call, address);
}

}  // namespace

void note_begin() {
  has_begun.store(true);
}

void note_before_fills(const SystemCall& call) {
  const auto& a = call.argument;
  if (!guest.is_64_bit || call.number != SYS_mmap || (a[3] & MAP_ANONYMOUS) != 0 ||
      !populates(call) || copies(call))
    return;
  for (Pending& one : pending) {
    std::int32_t free = 0;
    if (!one.tid.compare_exchange_strong(free, present_tid(), std::memory_order_acquire)) continue;
    return record::find_cached(static_cast<int>(a[4]), a[5], a[1], one.parts);
  }
}

void note_fills(const SystemCall& call, std::int64_t result) {
  if (!guest.is_64_bit || result < 0) return;
  const auto& a = call.argument;
  const auto bytes = static_cast<std::uint64_t>(result);
  switch (call.number) {
    case SYS_mmap:
      return note_mapping(call, static_cast<std::uint64_t>(result));
    case SYS_madvise:
      if (a[2] == kPopulateWrite) fill(a[0], a[1]);
      return;
    case SYS_mlock:
      return fill(a[0], a[1]);
    case SYS_mlock2:
      if ((a[2] & kLockOnFault) == 0) fill(a[0], a[1]);
      return;
    case SYS_read:
    case SYS_pread64:
    case SYS_recvfrom:
      return fill(a[1], bytes);
    case SYS_readv:
    case SYS_preadv:
      return fill_parts(a[1], a[2], bytes);
    case SYS_write:
    case SYS_writev:
      return note_written(static_cast<int>(a[0]), bytes);
    case SYS_pwrite64:
    case SYS_pwritev:
      return note_written(static_cast<int>(a[0]), a[3], bytes);
    default:
      return;
  }
}

}  // namespace Atoll::record::dbi
