// Reports the modules of this process, as the library does in recorded programs.
#pragma once

#include <link.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>

#include "record/recorder.hpp"

namespace Atoll::recording {

inline int record_module(dl_phdr_info* info, std::size_t, void* program) {
  record::ModuleLoaded module = {info->dlpi_addr, ~std::uint64_t{0}, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    module.begin = std::min(module.begin, begin);
    module.end = std::max(module.end, begin + segment.p_memsz);
  }
  const bool has_name = info->dlpi_name != nullptr && info->dlpi_name[0] != '\0';
  const std::string path = has_name ? info->dlpi_name : *static_cast<std::string*>(program);
  record::emit(record::current_thread(), record::EventKind::module, &module, sizeof module,
               path.c_str(), path.size() + 1);
  return 0;
}

inline void tell_this_process() {
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  record::emit(record::current_thread(), record::EventKind::program, program.c_str(),
               program.size() + 1, "test", 5);
  ::dl_iterate_phdr(record_module, &program);
}

}  // namespace Atoll::recording
