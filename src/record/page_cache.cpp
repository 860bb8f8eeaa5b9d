#include "record/page_cache.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "atoll/base/page_size.hpp"
#include "record/stream_words.hpp"
#include "record/waits.hpp"

namespace Atoll::record {
namespace {

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

}  // namespace

void CachedParts::add(std::uint64_t begin, std::uint64_t end) {
  if (count != 0 && (parts[count - 1].end == begin || count == kMax)) {
    parts[count - 1].end = end;
    return;
  }
  parts[count++] = {begin, end};
}

void find_cached(int file, std::uint64_t offset, std::uint64_t bytes, CachedParts& parts) {
  parts.count = 0;
  struct stat about = {};
  if (::fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return;
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (offset >= size) return;
  const std::uint64_t length = whole_pages(bytes < size - offset ? bytes : size - offset);
  const long mapped = ::syscall(SYS_mmap, 0, length, PROT_READ, MAP_SHARED, file, offset);
  if (mapped == -1) return;
  const auto begin = static_cast<std::uint64_t>(mapped);
  constexpr std::uint64_t kAtOnce = 1024;  // pages
  unsigned char there[kAtOnce];
  for (std::uint64_t at = 0; at < length; at += kAtOnce * kPageBytes) {
    const std::uint64_t part =
        length - at < kAtOnce * kPageBytes ? length - at : kAtOnce * kPageBytes;
    if (::syscall(SYS_mincore, begin + at, part, there) != 0) break;
    for (std::uint64_t page = 0; page * kPageBytes < part; ++page)
      if ((there[page] & 1U) != 0) parts.add(at + page * kPageBytes, at + (page + 1) * kPageBytes);
  }
  ::syscall(SYS_munmap, mapped, length);
}

void record_cached_pages(ThreadState* thread, std::uint64_t address, std::uint64_t begin,
                         std::uint64_t end, std::uint64_t tid) {
  const std::uint64_t words[3] = {address + begin, whole_pages(end - begin), tid};
  record_placement(thread, static_cast<std::uint32_t>(RecordKind::pages_cached), words, 3);
}

}  // namespace Atoll::record
