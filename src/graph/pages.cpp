// Maps and unmaps memory.
#include "graph/pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"

namespace Atoll::graph {

Pages::Pages(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    throw Error::system("graph", "taking " + format_bytes(bytes) + " of memory", errno,
                        "use a smaller graph or a machine with more memory");
  data_ = static_cast<std::byte*>(data);
  // Huge pages reduce faults and TLB misses when data is scattered over whole arrays. The request
  // may fail without harm.
  if (bytes >= 2 * kMiB) ::madvise(data_, bytes, MADV_HUGEPAGE);
}

Pages::Pages(int file, std::size_t bytes, std::string_view where) : bytes_(bytes) {
  void* data = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED) throw Error::system(where, "mapping the file", errno);
  data_ = static_cast<std::byte*>(data);
}

Pages::~Pages() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

void discard_pages(const std::byte* data, std::size_t bytes) noexcept {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto last = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace Atoll::graph
