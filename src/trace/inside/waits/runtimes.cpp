#include <link.h>
#include <string.h>

#include "trace/inside/waits/interpose.hpp"

namespace Atoll::trace::inside::waits {
namespace {

struct Range {
  std::uintptr_t begin, end;
};
constexpr int kMost = 4;
/// Those that were seen: other threads ask meanwhile, so they are only added to.
Range ranges[kMost];
std::atomic<int> count{0};

/// libc calls it for one thread at a time.
int look(dl_phdr_info* about, std::size_t, void*) {
  const char* name = ::strrchr(about->dlpi_name, '/');
  if (name == nullptr) return 0;
  bool is_runtime = false;
  for (const char* of : {"/libgomp.so", "/libomp.so", "/libomp5.so", "/libiomp5.so", "/libomp-"})
    is_runtime = is_runtime || ::strncmp(name, of, ::strlen(of)) == 0;
  const int at = count.load(std::memory_order_relaxed);
  if (!is_runtime || at == kMost) return 0;
  Range range = {~std::uintptr_t{0}, 0};
  for (int i = 0; i < about->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = about->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = about->dlpi_addr + part.p_vaddr;
    if (begin < range.begin) range.begin = begin;
    if (begin + part.p_memsz > range.end) range.end = begin + part.p_memsz;
  }
  for (int i = 0; i < at; ++i)
    if (ranges[i].begin == range.begin && ranges[i].end == range.end) return 0;
  ranges[at] = range;
  count.store(at + 1, std::memory_order_release);
  return 0;
}

__attribute__((constructor)) void at_start() {
  look_for_runtimes();
}

}  // namespace

void look_for_runtimes() {
  ::dl_iterate_phdr(look, nullptr);
}

bool is_of_runtime(const void* return_address) {
  const auto at = reinterpret_cast<std::uintptr_t>(return_address);
  for (int i = 0; i < count.load(std::memory_order_acquire); ++i)
    if (at >= ranges[i].begin && at < ranges[i].end) return true;
  return false;
}

}  // namespace Atoll::trace::inside::waits
