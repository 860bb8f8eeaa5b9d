#include "process/process_modules.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <fstream>

#include "atoll/base/page_size.hpp"

namespace Atoll::process {
namespace {

/// Computes the virtual address, as in the file, of the page that is mapped from `offset`. Returns
/// false if the file isn't a 64-bit ELF file or loads no such page.
bool virtual_address(const std::string& path, std::uint64_t offset, std::uint64_t& address) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return false;
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    if (!file.read(reinterpret_cast<char*>(&part), sizeof part)) return false;
    if (part.p_type != PT_LOAD || part.p_offset / kPageBytes * kPageBytes != offset) continue;
    address = part.p_vaddr / kPageBytes * kPageBytes;
    return true;
  }
  return false;
}

}  // namespace

std::vector<LoadedModule> modules_of_process(pid_t pid) {
  std::vector<LoadedModule> modules;
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0, end = 0, offset = 0;
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx %*s %*s %n", &begin, &end, &offset, &path_at) <
            3 ||
        path_at <= 0)
      continue;
    const std::string path = line.substr(static_cast<std::size_t>(path_at));
    // An anonymous mapping directly after a module is its zeroed memory, unless another library
    // begins there.
    if (!modules.empty() && path.empty() && begin == modules.back().end) modules.back().end = end;
    if (!path.starts_with('/')) continue;
    if (!modules.empty() && modules.back().path == path) {
      modules.back().end = end;
      continue;
    }
    std::uint64_t address = 0;
    if (virtual_address(path, offset, address))
      modules.push_back({path, begin - address, begin, end});
  }
  return modules;
}

}  // namespace Atoll::process
