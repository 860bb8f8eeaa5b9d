#include "atoll/memory/backing_file.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "atoll/base/log.hpp"
#include "atoll/base/page_size.hpp"
#include "memory/file_access.hpp"

namespace Atoll::memory {
namespace {

/// The whole pages that contain a range of a file.
struct Pages {
  Pages(std::uint64_t offset, std::size_t bytes)
      : begin(offset / kPageBytes * kPageBytes),
        size((offset - begin + bytes + kPageBytes - 1) / kPageBytes * kPageBytes) {}
  std::uint64_t begin;
  std::size_t size;
};

}  // namespace

FileMapping::FileMapping(FileAccess& file, std::uint64_t offset, std::size_t bytes, Access access)
    : file_(&file), offset_(offset), bytes_(bytes), access_(access) {
  const Pages pages(offset, bytes);
  file.drop_cache(pages.begin, pages.size);
  const int protection = access == Access::edit ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const data = ::mmap(nullptr, pages.size, protection, MAP_SHARED, file.descriptor(),
                            static_cast<off_t>(pages.begin));
  if (data == MAP_FAILED) throw file.failure("mapping a range", offset, errno);
  data_ = static_cast<std::byte*>(data) + (offset - pages.begin);
}

FileMapping::FileMapping(FileMapping&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      offset_(other.offset_),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      access_(other.access_) {}

FileMapping& FileMapping::operator=(FileMapping&& other) noexcept {
  FileMapping old(std::move(*this));  // its destructor closes the previous mapping
  file_ = std::exchange(other.file_, nullptr);
  offset_ = other.offset_;
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  access_ = other.access_;
  return *this;
}

FileMapping::~FileMapping() {
  try {
    close();
  } catch (const Error& error) {
    note(error.what());
  }
}

void FileMapping::release(std::size_t bytes) const noexcept {
  if (file_ == nullptr) return;
  const std::size_t before = offset_ % kPageBytes;
  const std::size_t pages = (before + std::min(bytes, bytes_)) / kPageBytes;
  // The mapping is shared, so the page cache keeps the content.
  if (pages > 0) ::madvise(data_ - before, pages * kPageBytes, MADV_DONTNEED);
}

void FileMapping::close() {
  if (file_ == nullptr) return;
  FileAccess& file = *std::exchange(file_, nullptr);
  const Pages pages(offset_, std::exchange(bytes_, 0));
  // This also transfers the dirty bits of the page table to the page cache.
  ::munmap(std::exchange(data_, nullptr) - (offset_ - pages.begin), pages.size);
  if (access_ == Access::edit) file.write_back(pages.begin, pages.size);
  file.drop_cache(pages.begin, pages.size);
}

BackingFile::BackingFile(const std::string& folder, std::uint64_t bytes)
    : BackingFile(std::make_unique<FileAccess>(folder, bytes)) {}

BackingFile::BackingFile(std::unique_ptr<FileAccess> access) : access_(std::move(access)) {}

BackingFile::~BackingFile() = default;

const std::string& BackingFile::folder() const noexcept {
  return access_->folder();
}

std::uint64_t BackingFile::bytes() const noexcept {
  return access_->bytes();
}

std::size_t BackingFile::block_bytes() const noexcept {
  return access_->block_bytes();
}

const std::vector<std::string>& BackingFile::refused() const noexcept {
  return access_->refused();
}

void BackingFile::read(std::uint64_t offset, std::span<std::byte> to) const {
  access_->check_range(offset, to.size());
  AlignedBuffer buffer;
  access_->read(offset, to.data(), to.size(), buffer);
}

void BackingFile::write(std::uint64_t offset, std::span<const std::byte> from) {
  access_->check_range(offset, from.size());
  AlignedBuffer buffer;
  access_->write(offset, from.data(), from.size(), buffer);
}

FileMapping BackingFile::map(std::uint64_t offset, std::size_t bytes, FileMapping::Access access) {
  access_->check_range(offset, bytes);
  if (bytes == 0)
    throw Error::input("backing file in " + folder(), "a mapping of 0 bytes", "map 1 byte or more");
  return {*access_, offset, bytes, access};
}

}  // namespace Atoll::memory
