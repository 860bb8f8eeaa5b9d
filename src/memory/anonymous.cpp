// Wrappers of mmap, madvise and mincore, with fallbacks for systems without newer kinds of advice.
#include "memory/anonymous.hpp"

#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <bit>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/page_size.hpp"
#include "atoll/base/units.hpp"

namespace Atoll::memory {
namespace {

constexpr const char* kThpSwitch = "/sys/kernel/mm/transparent_hugepage/enabled";

[[noreturn]] void fail(const char* tried, std::size_t bytes, int error, const char* way_out) {
  throw Error::system("memory", std::string(tried) + " " + format_bytes(bytes), error, way_out);
}

/// Returns an empty string if huge pages are available, else the reason.
std::string why_no_huge_pages() {
#ifdef MADV_HUGEPAGE
  std::ifstream file(kThpSwitch);
  const std::string enabled(std::istreambuf_iterator<char>(file), {});
  if (enabled.empty()) return "this kernel has no transparent huge pages";
  if (enabled.find("[never]") != std::string::npos)
    return std::string(kThpSwitch) + " says never (madvise would do)";
  if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1)
    return "they are switched off for this process (PR_SET_THP_DISABLE)";
  return {};
#else
  return "this system has no transparent huge pages";
#endif
}

/// Advises the system to use huge pages in the range, or not to.
void advise(std::byte* data, std::size_t bytes, PageSize pages) {
  if (pages == PageSize::huge) {
    std::string reason = why_no_huge_pages();
#ifdef MADV_HUGEPAGE
    if (reason.empty() && madvise(data, bytes, MADV_HUGEPAGE) != 0)
      reason = "the system refuses them";
#endif
    if (!reason.empty()) note("4 KiB pages instead of 2 MiB ones: " + reason);
  } else {
#ifdef MADV_NOHUGEPAGE
    // Otherwise khugepaged collapses them into huge pages later; it has been observed to gather
    // pages interleaved over several nodes on one node. Fails only if the kernel has no huge pages
    // at all.
    (void)madvise(data, bytes, MADV_NOHUGEPAGE);
#endif
  }
}

void touch(Range range) {
  for (std::size_t at = 0; at < range.bytes; at += kPageBytes) {
    volatile std::byte* const page = range.data + at;
    *page = *page;
  }
}

std::string pool_of(PageSize pages) {
  return "/sys/kernel/mm/hugepages/hugepages-" + std::to_string(page_bytes(pages) / kKiB) + "kB";
}

/// The kernel aligns the mapping, and reserves all its pages in the pool.
std::byte* reserve_from_pool(std::size_t bytes, PageSize pages) {
#ifdef MAP_HUGETLB
  const int log2_of_page = std::countr_zero(page_bytes(pages));
  void* const mapping =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (log2_of_page << MAP_HUGE_SHIFT), -1, 0);
  if (mapping != MAP_FAILED) return static_cast<std::byte*>(mapping);
  const int error = errno;
  std::error_code missing;
  if (!std::filesystem::exists(pool_of(pages), missing))
    throw Error::failed("memory", "this system has no pages of " + format_bytes(page_bytes(pages)),
                        "take pages of another size");
  fail(("reserving pages of " + format_bytes(page_bytes(pages)) + " for").c_str(), bytes, error,
       ("the system's pool has too few that nobody else has reserved; write a number to " +
        pool_of(pages) + "/nr_hugepages")
           .c_str());
#else
  static_cast<void>(bytes);
  throw Error::failed("memory", "this system has no pages of " + format_bytes(page_bytes(pages)),
                      "take pages of another size");
#endif
}

}  // namespace

std::byte* reserve_pages(std::size_t bytes, PageSize pages) {
  if (from_pool(pages)) return reserve_from_pool(bytes, pages);
  const std::size_t large = page_bytes(PageSize::huge);
  const std::size_t page = bytes >= large ? large : page_bytes(pages);
  const std::size_t slack = page - kPageBytes;  // mmap only aligns to base pages
  if (bytes > SIZE_MAX - slack) fail("reserving", bytes, ENOMEM, "ask for less");
  void* const mapping =
      mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    fail("reserving", bytes, errno, "see ulimit -v and vm.overcommit_memory for limits");
  auto* const begin = static_cast<std::byte*>(mapping);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % page;
  release_pages(begin, before);
  release_pages(begin + before + bytes, slack - before);
  advise(begin + before, bytes, pages);
  return begin + before;
}

void release_pages(std::byte* data, std::size_t bytes) noexcept {
  if (bytes > 0) munmap(data, bytes);
}

void map_pages(Range range) {
#ifdef MADV_POPULATE_WRITE
  if (madvise(range.data, range.bytes, MADV_POPULATE_WRITE) == 0) return;
  if (errno != EINVAL)  // EINVAL: the kernel is older than 5.14
    fail("mapping", range.bytes, errno, "others may have taken the memory meanwhile");
#endif
  touch(range);
}

void discard_pages(Range range) {
  if (madvise(range.data, range.bytes, MADV_DONTNEED) != 0)
    fail("giving back", range.bytes, errno, "");
}

std::vector<bool> mapped_pages(Range range) {
  std::vector<unsigned char> resident(range.bytes / kPageBytes);
  if (mincore(range.data, range.bytes, resident.data()) != 0)
    fail("looking for pages in", range.bytes, errno, "");
  std::vector<bool> mapped(resident.size());
  for (std::size_t page = 0; page < resident.size(); ++page)
    mapped[page] = (resident[page] & 1) != 0;
  return mapped;
}

}  // namespace Atoll::memory
