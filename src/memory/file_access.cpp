#include "memory/file_access.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "atoll/base/log.hpp"
#include "atoll/memory/backend.hpp"

namespace Atoll::memory {
namespace {

constexpr std::size_t kUsualBlock = 4096;
constexpr std::size_t kMaxBlock = AlignedBuffer::kAlignment;
constexpr std::size_t kBufferBytes = kMiB;
/// Smaller reads with unaligned ends are one read of whole blocks into the buffer.
constexpr std::size_t kDirectFromBytes = 64 * kKiB;
constexpr std::uint64_t kMaxFile = INT64_MAX - kMaxBlock;

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Returns the size of the file: whole blocks, so that direct transfers reach the last byte.
std::uint64_t allocated_bytes(std::uint64_t bytes) {
  return bytes > kMaxFile ? bytes : round_up(bytes, kMaxBlock);
}

std::string message(int errno_value) {
  return std::generic_category().message(errno_value);
}

/// True if another folder helps, so that the input is at fault.
bool is_fault_of_folder(int errno_value) {
  constexpr int kFaults[] = {ENOENT, ENOTDIR, EACCES, EPERM, EROFS, ENOSPC, EDQUOT, ENAMETOOLONG};
  return std::ranges::find(kFaults, errno_value) != std::end(kFaults);
}

bool is_usable_alignment(std::uint64_t bytes) {
  return std::has_single_bit(bytes) && bytes <= kMaxBlock;
}

}  // namespace

FileAccess::FileAccess(std::string folder, std::uint64_t bytes, std::unique_ptr<FileCalls> calls)
    : folder_(std::move(folder)), bytes_(bytes), calls_(std::move(calls)) {
  if (bytes_ == 0)
    throw Error::input("folder " + folder_, "a backing file of 0 bytes", "ask for 1 byte or more");
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      allocated_bytes(bytes_) > limit.rlim_cur)  // then the system would raise SIGXFSZ
    throw Error::input("folder " + folder_,
                       "a backing file of " + format_bytes(bytes_) +
                           " exceeds this process's limit of " + format_bytes(limit.rlim_cur),
                       "raise the limit of file sizes (ulimit -f)");
  open();
  try {
    allocate();
    use_direct_transfers();
  } catch (...) {
    close();
    throw;
  }
  for (const std::string& feature : refused_) note("backing file in " + folder_ + ": " + feature);
}

FileAccess::~FileAccess() {
  close();
}

void FileAccess::close() noexcept {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void FileAccess::refuse(const std::string& feature, const std::string& consequence) {
  refused_.push_back("the system refuses " + feature + "; " + consequence);
}

void FileAccess::open() {
  file_ = calls_->open_unnamed(folder_);
  // Kernels without O_TMPFILE see O_DIRECTORY with O_RDWR, and report EISDIR or EINVAL.
  if (file_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    const std::string reason = message(errno);
    file_ = calls_->open_removed(folder_);
    if (file_ >= 0)
      refuse("an unnamed file (O_TMPFILE: " + reason + ")", "the name was removed after creation");
  }
  if (file_ >= 0) return;
  const int error = errno;
  if (is_fault_of_folder(error))
    throw Error::input("folder " + folder_, "can't create a file there: " + message(error),
                       "name an existing folder that you may write to");
  throw Error::system("folder " + folder_, "creating a file there", error);
}

void FileAccess::allocate() {
  if (calls_->facts(file_, facts_) != 0)
    throw Error::system("folder " + folder_, "asking for its free space", errno);
  const auto too_little = [&](std::uint64_t has) {
    return Error::input("folder " + folder_,
                        "a backing file of " + format_bytes(bytes_) +
                            " doesn't fit: " + format_bytes(has) +
                            (facts_.is_in_memory ? " of memory" : "") + " are free there",
                        facts_.is_in_memory ? "name a folder on a disk, as this one is in memory"
                                            : "name a folder with more space, or free some");
  };
  const auto too_large = [&] {
    return Error::input(
        "folder " + folder_,
        "a file of " + format_bytes(bytes_) + " is larger than the file system supports",
        "name a folder on another file system");
  };
  if (bytes_ > kMaxFile) throw too_large();
  // The allocation would fail too, but fill the disk before that.
  if (allocated_bytes(bytes_) > facts_.free_bytes) throw too_little(facts_.available_bytes);
  if (facts_.is_in_memory) {
    const std::uint64_t available = system_backend().available(PageSize::small).in_all();
    if (bytes_ > available) throw too_little(available);
  }
  const std::uint64_t whole = allocated_bytes(bytes_);
  if (calls_->allocate(file_, whole) == 0) return;
  int error = errno;
  if (error == EOPNOTSUPP || error == ENOSYS) {
    refuse("the allocation of space (fallocate: " + message(error) + ")",
           "a full disk is reported when data are written");
    if (calls_->truncate(file_, whole) == 0) return;
    error = errno;
  }
  if (error == ENOSPC || error == EDQUOT) throw too_little(facts_.available_bytes);
  if (error == EFBIG) throw too_large();
  throw Error::system("folder " + folder_, "allocating a file of " + format_bytes(bytes_), error);
}

void FileAccess::use_direct_transfers() {
  const auto refuse_it = [&](const std::string& reason) {
    refuse("direct transfers (O_DIRECT: " + reason + ")", "transfers use the page cache");
  };
  // Some kernels accept the flag for files in memory, and then ignore it.
  if (facts_.is_in_memory) return refuse_it("the folder is in memory");
  if (facts_.reports_direct && facts_.direct_offset_bytes == 0)
    return refuse_it("not supported by the file system");
  // Writes of whole blocks of the file system are concurrent; ext4 serializes others.
  std::uint64_t block = is_usable_alignment(facts_.block_bytes) ? facts_.block_bytes : kUsualBlock;
  block = std::max(block, facts_.direct_offset_bytes);
  const std::uint64_t address =
      facts_.reports_direct ? std::max<std::uint64_t>(1, facts_.direct_address_bytes) : block;
  if (!is_usable_alignment(block) || !is_usable_alignment(address))
    return refuse_it("it requires an alignment of " + format_bytes(std::max(block, address)));
  if (calls_->set_direct(file_, true) != 0) return refuse_it(message(errno));
  AlignedBuffer buffer;
  std::byte* const data = buffer.get(block);
  if (calls_->read(file_, data, block, 0) != static_cast<ssize_t>(block)) {
    const std::string reason = message(errno);
    if (calls_->set_direct(file_, false) != 0)
      throw Error::system("folder " + folder_, "turning direct transfers off", errno);
    return refuse_it(reason);
  }
  block_bytes_ = block;
  address_bytes_ = address;
}

void FileAccess::check_range(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset <= bytes_ && bytes <= bytes_ - offset) return;
  throw Error::input("backing file in " + folder_,
                     std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                         " aren't within its " + std::to_string(bytes_) + " bytes",
                     "stay within the file");
}

Error FileAccess::failure(const char* tried, std::uint64_t offset, int errno_value) const {
  const std::string where = "backing file in " + folder_;
  const std::string what = std::string(tried) + " at offset " + std::to_string(offset);
  constexpr std::string_view kWayOut = "see the system's log for the disk's errors";
  if (errno_value == 0)
    return Error::failed(where, what + ": the system transfers no bytes", kWayOut);
  if (errno_value == ENOSPC || errno_value == EDQUOT)
    return Error::system(where, what, errno_value, "free space on its disk");
  return Error::system(where, what, errno_value, errno_value == EIO ? kWayOut : "");
}

bool FileAccess::is_aligned(const std::byte* address) const noexcept {
  return reinterpret_cast<std::uintptr_t>(address) % address_bytes_ == 0;
}

/// Continues transfers that the system cuts short, for example because of a signal.
void FileAccess::read_blocks(std::uint64_t offset, std::byte* to, std::size_t bytes) const {
  while (bytes > 0) {
    const ssize_t done = calls_->read(file_, to, bytes, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw failure("reading", offset, done < 0 ? errno : 0);
    const std::size_t part = static_cast<std::size_t>(done) / block_bytes_ * block_bytes_;
    if (part == 0) throw failure("reading", offset, 0);
    to += part;
    offset += part;
    bytes -= part;
  }
}

void FileAccess::write_blocks(std::uint64_t offset, const std::byte* from,
                              std::size_t bytes) const {
  while (bytes > 0) {
    const ssize_t done = calls_->write(file_, from, bytes, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw failure("writing", offset, done < 0 ? errno : 0);
    const std::size_t part = static_cast<std::size_t>(done) / block_bytes_ * block_bytes_;
    if (part == 0) throw failure("writing", offset, 0);
    from += part;
    offset += part;
    bytes -= part;
  }
}

void FileAccess::read(std::uint64_t offset, std::byte* to, std::size_t bytes,
                      AlignedBuffer& buffer) const {
  while (bytes > 0) {
    const std::size_t before = offset % block_bytes_;  // bytes of the block before the range
    std::size_t part = bytes / block_bytes_ * block_bytes_;
    if (before == 0 && part > 0 && is_aligned(to)) {
      read_blocks(offset, to, part);
    } else {
      part = std::min(bytes, kBufferBytes - before);
      // If memory is aligned from the next block on, the rest is read directly.
      if (before > 0 && bytes >= kDirectFromBytes && is_aligned(to + block_bytes_ - before))
        part = block_bytes_ - before;
      const std::size_t whole = round_up(before + part, block_bytes_);
      std::byte* const data = buffer.get(whole);
      read_blocks(offset - before, data, whole);
      std::memcpy(to, data + before, part);
    }
    offset += part;
    to += part;
    bytes -= part;
  }
}

void FileAccess::write(std::uint64_t offset, const std::byte* from, std::size_t bytes,
                       AlignedBuffer& buffer) {
  while (bytes > 0) {
    const std::size_t before = offset % block_bytes_;
    std::size_t part = bytes / block_bytes_ * block_bytes_;
    if (before > 0 || part == 0) {
      part = std::min(bytes, block_bytes_ - before);
      write_part_of_block(offset, from, part, buffer);
    } else if (is_aligned(from)) {
      write_blocks(offset, from, part);
    } else {
      part = std::min(part, kBufferBytes);
      std::byte* const data = buffer.get(part);
      std::memcpy(data, from, part);
      write_blocks(offset, data, part);
    }
    offset += part;
    from += part;
    bytes -= part;
  }
}

/// Keeps the other bytes of the block, which other threads may be writing.
void FileAccess::write_part_of_block(std::uint64_t offset, const std::byte* from, std::size_t bytes,
                                     AlignedBuffer& buffer) {
  const std::size_t before = offset % block_bytes_;
  std::byte* const data = buffer.get(block_bytes_);
  const std::scoped_lock lock(block_mutexes_[offset / block_bytes_ % block_mutexes_.size()]);
  read_blocks(offset - before, data, block_bytes_);
  std::memcpy(data + before, from, bytes);
  write_blocks(offset - before, data, block_bytes_);
}

void FileAccess::drop_cache(std::uint64_t offset, std::uint64_t bytes) const noexcept {
  // Without direct transfers, the page cache is the only path to the file.
  if (block_bytes_ > 1)
    static_cast<void>(::posix_fadvise(file_, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                                      POSIX_FADV_DONTNEED));
}

void FileAccess::write_back(std::uint64_t offset, std::uint64_t bytes) {
  if (block_bytes_ > 1 && calls_->write_back(file_, offset, bytes) != 0)
    throw failure("writing", offset, errno);
}

}  // namespace Atoll::memory
