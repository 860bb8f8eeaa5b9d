#include "trace/emulator/fills.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>

namespace Atoll::trace::dbi {
namespace {

constexpr std::uint64_t kPopulateWrite = 23;  // MADV_POPULATE_WRITE
constexpr std::uint64_t kLockOnFault = 1;     // MLOCK_ONFAULT
constexpr std::uint64_t kMaxParts = 1024;     // of a vector of buffers, as in Linux

void fill(std::uint64_t address, std::uint64_t bytes) {
  recorder::fill_pages(recorder::current_thread(), address, bytes);
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

/// The last files that this thread wrote, each by device and inode.
struct WrittenFile {
  dev_t device;
  ino_t inode;
};
constexpr std::size_t kWrittenFiles = 16;
__attribute__((tls_model("initial-exec"))) thread_local WrittenFile written[kWrittenFiles];
__attribute__((tls_model("initial-exec"))) thread_local std::size_t next_written = 0;

bool is_written(const struct stat& about) {
  return std::any_of(std::begin(written), std::end(written), [&](const WrittenFile& file) {
    return file.inode == about.st_ino && file.device == about.st_dev && file.inode != 0;
  });
}

void note_written(int file) {
  struct stat about = {};
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || is_written(about)) return;
  written[next_written++ % kWrittenFiles] = {about.st_dev, about.st_ino};
}

void note_mapping(const SystemCall& call, std::uint64_t address) {
  const auto& a = call.argument;
  const auto flags = static_cast<int>(a[3]);
  const bool populates = (flags & (MAP_POPULATE | MAP_LOCKED)) != 0;
  if ((flags & MAP_ANONYMOUS) != 0) {
    // A page that can't be written is the zero page.
    if (populates && (a[2] & PROT_WRITE) != 0) fill(address, a[1]);
    return;
  }
  struct stat about = {};
  if (fstat(static_cast<int>(a[4]), &about) != 0 || !S_ISREG(about.st_mode)) return;
  if (!populates && !is_written(about)) return;
  const auto size = static_cast<std::uint64_t>(about.st_size);
  fill(address, std::min(a[1], size - std::min(size, a[5])));
}

}  // namespace

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
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_pwritev:
      return note_written(static_cast<int>(a[0]));
    default:
      return;
  }
}

}  // namespace Atoll::trace::dbi
