#include "process/linkage.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

namespace Atoll::process {
namespace {

/// An open ELF file; `elf` is null if it can't be read.
struct OpenElf {
  explicit OpenElf(const std::string& path) {
    ::elf_version(EV_CURRENT);
    file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) elf = ::elf_begin(file, ELF_C_READ_MMAP, nullptr);
  }
  ~OpenElf() {
    if (elf != nullptr) ::elf_end(elf);
    if (file >= 0) ::close(file);
  }
  OpenElf(const OpenElf&) = delete;
  OpenElf& operator=(const OpenElf&) = delete;

  int file = -1;
  Elf* elf = nullptr;
};

void visit_section(Elf* elf, const GElf_Shdr& header, Elf_Data* data,
                   const LinkageVisitor& visitor) {
  const auto entries = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; header.sh_type == SHT_DYNAMIC && i < entries; ++i) {
    GElf_Dyn entry;
    if (::gelf_getdyn(data, i, &entry) == nullptr || entry.d_tag != DT_NEEDED) continue;
    if (const char* name = ::elf_strptr(elf, header.sh_link, entry.d_un.d_val))
      visitor.needed(name);
  }
  const bool has_symbols = header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB;
  for (int i = 0; has_symbols && i < entries; ++i) {
    GElf_Sym symbol;
    if (::gelf_getsym(data, i, &symbol) == nullptr) continue;
    if (const char* name = ::elf_strptr(elf, header.sh_link, symbol.st_name))
      visitor.symbol(name, symbol.st_shndx != SHN_UNDEF);
  }
}

}  // namespace

void visit_linkage(const std::string& path, const LinkageVisitor& visitor) {
  const OpenElf file(path);
  for (Elf_Scn* section = nullptr;
       file.elf != nullptr && (section = ::elf_nextscn(file.elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (::gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) continue;
    if (Elf_Data* data = ::elf_getdata(section, nullptr); data != nullptr)
      visit_section(file.elf, header, data, visitor);
  }
}

bool is_static_program(const std::string& path) {
  const OpenElf file(path);
  std::size_t segments = 0;
  if (file.elf == nullptr || ::elf_getphdrnum(file.elf, &segments) != 0 || segments == 0)
    return false;
  for (int i = 0; i < static_cast<int>(segments); ++i) {
    GElf_Phdr segment;
    if (::gelf_getphdr(file.elf, i, &segment) != nullptr && segment.p_type == PT_INTERP)
      return false;
  }
  return true;
}

}  // namespace Atoll::process
