// The loader is asked, by dl_iterate_phdr, at the start, when an unknown return address turns up
// and at the end. (dlopen itself isn't interposed: it finds libraries by who calls it.)
#include "trace/inside/modules.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include "trace/inside/hooks.hpp"
#include "trace/inside/system.hpp"

namespace Atoll::trace::inside {
namespace {

struct Module {
  std::uint64_t begin, end, name_hash;
};
constexpr std::uint32_t kModules = 4096;
Module modules[kModules];
std::atomic<std::uint32_t> known;
Lock modules_lock;
std::atomic<std::uint64_t> own_begin, own_end;

std::uint64_t hash(const char* text) {
  std::uint64_t mixed = 0xcbf29ce484222325U;
  for (; *text != '\0'; ++text)
    mixed = (mixed ^ static_cast<unsigned char>(*text)) * 0x100000001b3U;
  return mixed;
}

/// The last that was told of this address; null: none.
const Module* module_of(std::uint64_t address) {
  for (std::uint32_t i = known.load(std::memory_order_acquire); i != 0; --i)
    if (address >= modules[i - 1].begin && address < modules[i - 1].end) return &modules[i - 1];
  return nullptr;
}

int note(dl_phdr_info* info, std::size_t /*bytes*/, void* /*data*/) {
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  for (int i = 0; i != info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uint64_t at = info->dlpi_addr + segment.p_vaddr;
    if (at < begin) begin = at;
    if (at + segment.p_memsz > end) end = at + segment.p_memsz;
  }
  if (begin >= end) return 0;
  const auto here = reinterpret_cast<std::uintptr_t>(&own_begin);
  if (here >= begin && here < end) {
    own_begin.store(begin, std::memory_order_relaxed);
    own_end.store(end, std::memory_order_relaxed);
  }
  char executable[4096];
  const char* path = info->dlpi_name;
  if (path == nullptr || *path == '\0') {
    const KeepErrno keep;
    const ssize_t n = ::readlink("/proc/self/exe", executable, sizeof executable - 1);
    executable[n < 0 ? 0 : n] = '\0';
    path = executable;
  }
  const Module found{begin, end, hash(path)};
  const Locked locked(modules_lock);
  const Module* told = module_of(begin);
  if (told != nullptr && told->begin == begin && told->end == end &&
      told->name_hash == found.name_hash)
    return 0;
  const std::uint32_t n = known.load(std::memory_order_relaxed);
  if (n == kModules) return 0;
  modules[n] = found;
  known.store(n + 1, std::memory_order_release);
  hooks::on_module(info->dlpi_addr, begin, end, path);
  return 0;
}

}  // namespace

bool ours(std::uint64_t address) {
  return address >= own_begin.load(std::memory_order_relaxed) &&
         address < own_end.load(std::memory_order_relaxed);
}

void note_modules() {
  ::dl_iterate_phdr(note, nullptr);
}

void note_modules(const std::uint64_t* addresses, std::uint32_t n) {
  for (std::uint32_t i = 0; i != n; ++i)
    if (module_of(addresses[i]) == nullptr) return note_modules();
}

}  // namespace Atoll::trace::inside
