// Enumerates modules with dl_iterate_phdr: at the start, at an unknown return address, after
// dlclose and at the end. dlopen isn't interposed, because it searches for libraries on behalf of
// its caller.
#include "process/inside/modules.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include "process/inside/hooks.hpp"
#include "process/inside/process.hpp"
#include "process/inside/sites.hpp"
#include "process/inside/system.hpp"

namespace Atoll::process::inside {
namespace {

struct Module {
  std::atomic<std::uint64_t> begin, end;  // both 0 if it was unloaded
  std::uint64_t name_hash;
  bool loaded;  // used by note_unloaded
};
constexpr std::uint32_t kModules = 4096;
Module modules[kModules];
std::atomic<std::uint32_t> known;
Lock modules_lock;
Lock unloading_lock;  // acquired before the loader's own lock
std::atomic<std::uint64_t> own_begin, own_end;

std::uint64_t hash(const char* text) {
  std::uint64_t mixed = 0xcbf29ce484222325U;
  for (; *text != '\0'; ++text)
    mixed = (mixed ^ static_cast<unsigned char>(*text)) * 0x100000001b3U;
  return mixed;
}

/// Returns the reported module that contains this address; null if there is none.
Module* module_of(std::uint64_t address) {
  for (std::uint32_t i = known.load(std::memory_order_acquire); i != 0; --i)
    if (address >= modules[i - 1].begin && address < modules[i - 1].end) return &modules[i - 1];
  return nullptr;
}

/// Returns an unused row; null if the table is full.
Module* unused_module() {
  const std::uint32_t n = known.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i != n; ++i)
    if (modules[i].end == 0) return &modules[i];
  if (n == kModules) return nullptr;
  known.store(n + 1, std::memory_order_release);
  return &modules[n];
}

void forget(Module& module) {
  forget_sites(module.begin, module.end);
  module.end = 0;
  module.begin = 0;
}

struct Addresses {
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;
};

Addresses addresses_of(const dl_phdr_info& info) {
  Addresses found;
  for (int i = 0; i != info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uint64_t at = info.dlpi_addr + segment.p_vaddr;
    if (at < found.begin) found.begin = at;
    if (at + segment.p_memsz > found.end) found.end = at + segment.p_memsz;
  }
  return found;
}

int note(dl_phdr_info* info, std::size_t /*bytes*/, void* /*data*/) {
  const auto [begin, end] = addresses_of(*info);
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
  const std::uint64_t name_hash = hash(path);
  const Locked locked(modules_lock);
  const Module* told = module_of(begin);
  if (told != nullptr && told->begin == begin && told->end == end && told->name_hash == name_hash)
    return 0;
  for (std::uint32_t i = 0; i != known; ++i)  // overlapping ones were unloaded without dlclose
    if (modules[i].begin < end && begin < modules[i].end) forget(modules[i]);
  Module* module = unused_module();
  if (module == nullptr) return 0;
  module->name_hash = name_hash;
  module->loaded = true;
  module->begin = begin;
  module->end = end;
  hooks::on_module(info->dlpi_addr, begin, end, path);
  return 0;
}

int note_loaded(dl_phdr_info* info, std::size_t /*bytes*/, void* /*data*/) {
  const Addresses at = addresses_of(*info);
  const Locked locked(modules_lock);
  Module* told = module_of(at.begin);
  if (told != nullptr && told->begin == at.begin && told->end == at.end) told->loaded = true;
  return 0;
}

}  // namespace

bool is_in_this_library(std::uint64_t address) {
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

void note_unloaded() {
  const Locked one_by_one(unloading_lock);
  {
    const Locked locked(modules_lock);
    for (std::uint32_t i = 0; i != known; ++i) modules[i].loaded = false;
  }
  ::dl_iterate_phdr(note_loaded, nullptr);
  const Locked locked(modules_lock);
  for (std::uint32_t i = 0; i != known; ++i)
    if (!modules[i].loaded && modules[i].end != 0) forget(modules[i]);
}

}  // namespace Atoll::process::inside

using namespace Atoll::process::inside;

ATOLL_INTERPOSE int dlclose(void* library) noexcept {
  (void)started();
  const int error = next.dlclose(library);
  ThreadPart& thread = this_thread_part;
  if (error != 0 || !reports_events(thread)) return error;
  const KeepErrno keep;
  const Inside inside(thread);
  note_unloaded();
  return error;
}
