#include <link.h>
#include <string.h>

#include "record/inside/waits/openmp.hpp"

namespace Atoll::record::inside::waits {
namespace {

struct Range {
  std::uintptr_t begin, end;
};
constexpr int kMax = 4;
/// Address ranges of run-time libraries. They are only appended, as other threads read them
/// concurrently.
Range ranges[kMax];
std::atomic<int> count{0};

std::atomic<bool> calls_tasks{false};
std::atomic<unsigned long long> looked_at{0};  ///< number of modules loaded so far at the last
                                               ///< search

bool is_of_tasks(const char* function) {
  for (const char* of :
       {"GOMP_task", "GOMP_taskloop", "GOMP_taskloop_ull", "__kmpc_omp_task_alloc"})
    if (::strcmp(function, of) == 0) return true;
  return false;
}

/// True if a relocation of the module refers to a function that creates tasks.
bool creates_tasks(const dl_phdr_info& module) {
  const auto at = [&](ElfW(Addr) address) {  // the dynamic linker has relocated most of them
    return address < module.dlpi_addr ? module.dlpi_addr + address : address;
  };
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    if (module.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const ElfW(Sym)* symbols = nullptr;
    const char* names = nullptr;
    std::uintptr_t tables[2] = {};
    std::size_t bytes[2] = {};
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(module.dlpi_addr + module.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const ElfW(Addr) value = entry->d_un.d_ptr;
      if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(at(value));
      if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(at(value));
      if (entry->d_tag == DT_RELA) tables[0] = at(value);
      if (entry->d_tag == DT_RELASZ) bytes[0] = value;
      if (entry->d_tag == DT_JMPREL) tables[1] = at(value);
      if (entry->d_tag == DT_PLTRELSZ) bytes[1] = value;
    }
    for (int table = 0; table < 2; ++table) {
      const auto* one = reinterpret_cast<const ElfW(Rela)*>(tables[table]);
      if (one == nullptr || symbols == nullptr || names == nullptr) continue;
      for (const auto* end = one + bytes[table] / sizeof *one; one != end; ++one)
        if (is_of_tasks(names + symbols[ELF64_R_SYM(one->r_info)].st_name)) return true;
    }
  }
  return false;
}

/// Callback of dl_iterate_phdr. libc runs it in one thread at a time.
int look_for_tasks(dl_phdr_info* module, std::size_t, void* adds) {
  if (module->dlpi_adds == looked_at.load()) return 1;
  *static_cast<unsigned long long*>(adds) = module->dlpi_adds;
  const char* name = ::strrchr(module->dlpi_name, '/');
  const bool is_ours = name != nullptr && ::strncmp(name, "/libatoll-", 10) == 0;
  const bool is_kernels = name == nullptr && module->dlpi_name[0] != 0;
  if (!is_ours && !is_kernels && creates_tasks(*module)) calls_tasks.store(true);
  return 0;
}

/// Callback of dl_iterate_phdr. libc runs it in one thread at a time.
int look(dl_phdr_info* about, std::size_t, void*) {
  const char* name = ::strrchr(about->dlpi_name, '/');
  if (name == nullptr) return 0;
  bool is_runtime = false;
  for (const char* of : {"/libgomp.so", "/libomp.so", "/libomp5.so", "/libiomp5.so", "/libomp-"})
    is_runtime = is_runtime || ::strncmp(name, of, ::strlen(of)) == 0;
  const int at = count.load(std::memory_order_relaxed);
  if (!is_runtime || at == kMax) return 0;
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
  unsigned long long loaded = looked_at.load();
  ::dl_iterate_phdr(look_for_tasks, &loaded);
  looked_at.store(loaded);
}

bool has_tasks() {
  return calls_tasks.load(std::memory_order_relaxed);
}

bool is_of_runtime(const void* return_address) {
  const auto at = reinterpret_cast<std::uintptr_t>(return_address);
  for (int i = 0; i < count.load(std::memory_order_acquire); ++i)
    if (at >= ranges[i].begin && at < ranges[i].end) return true;
  return false;
}

}  // namespace Atoll::record::inside::waits
