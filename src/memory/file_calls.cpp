#include "memory/file_calls.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

#include "base/temporary_file.hpp"

namespace Atoll::memory {

int FileCalls::open_unnamed(const std::string& folder) {
  return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

int FileCalls::open_removed(const std::string& folder) {
  const TemporaryFile file = create_temporary_file(folder);
  if (file.descriptor >= 0) ::unlink(file.path.c_str());
  return file.descriptor;
}

int FileCalls::facts(int file, Facts& facts) {
  struct statvfs space {};
  struct statfs system {};
  if (::fstatvfs(file, &space) != 0 || ::fstatfs(file, &system) != 0) return -1;
  constexpr unsigned long kTmpfs = TMPFS_MAGIC, kRamfs = RAMFS_MAGIC;
  const auto type = static_cast<unsigned long>(system.f_type);
  facts.is_in_memory = type == kTmpfs || type == kRamfs;
  facts.free_bytes = std::uint64_t{space.f_bfree} * space.f_frsize;
  facts.available_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
  facts.block_bytes = space.f_bsize;
#ifdef STATX_DIOALIGN  // since Linux 6.1
  struct statx status {};
  if (::statx(file, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0 &&
      (status.stx_mask & STATX_DIOALIGN) != 0) {
    facts.reports_direct = true;
    facts.direct_offset_bytes = status.stx_dio_offset_align;
    facts.direct_address_bytes = status.stx_dio_mem_align;
  }
#endif
  return 0;
}

int FileCalls::allocate(int file, std::uint64_t bytes) {
  int result = 0;
  do {
    result = ::fallocate(file, 0, 0, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  return result;
}

int FileCalls::truncate(int file, std::uint64_t bytes) {
  return ::ftruncate(file, static_cast<off_t>(bytes));
}

int FileCalls::set_direct(int file, bool direct) {
  const int flags = ::fcntl(file, F_GETFL);
  return flags < 0 ? -1 : ::fcntl(file, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT);
}

ssize_t FileCalls::read(int file, std::byte* to, std::size_t bytes, std::uint64_t offset) {
  return ::pread(file, to, bytes, static_cast<off_t>(offset));
}

ssize_t FileCalls::write(int file, const std::byte* from, std::size_t bytes, std::uint64_t offset) {
  return ::pwrite(file, from, bytes, static_cast<off_t>(offset));
}

int FileCalls::write_back(int file, std::uint64_t offset, std::uint64_t bytes) {
  return ::sync_file_range(
      file, static_cast<off_t>(offset), static_cast<off_t>(bytes),
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}

}  // namespace Atoll::memory
