// Examines a file by the rules of execve(2).
#include "record/emulator/program_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace Atoll::record::dbi {
namespace {

constexpr char kBlanks[] = " \t";

ProgramProblem look_at_elf(int file, const unsigned char* head, std::size_t bytes,
                           ProgramFile& program) {
  if (bytes < sizeof(Elf32_Ehdr)) return ProgramProblem::not_a_program;
  Elf64_Ehdr wide = {};
  Elf32_Ehdr narrow = {};
  program.is_64_bit = head[EI_CLASS] == ELFCLASS64;
  unsigned machine = 0;
  unsigned type = 0;
  std::uint64_t at = 0;
  unsigned count = 0;
  std::size_t each = 0;
  if (program.is_64_bit) {
    if (bytes < sizeof wide) return ProgramProblem::not_a_program;
    memcpy(&wide, head, sizeof wide);
    machine = wide.e_machine, type = wide.e_type, at = wide.e_phoff, count = wide.e_phnum;
    each = sizeof(Elf64_Phdr);
  } else {
    memcpy(&narrow, head, sizeof narrow);
    machine = narrow.e_machine, type = narrow.e_type, at = narrow.e_phoff, count = narrow.e_phnum;
    each = sizeof(Elf32_Phdr);
  }
  if (head[EI_DATA] != ELFDATA2LSB) return ProgramProblem::other_machine;
  if (machine != (program.is_64_bit ? EM_X86_64 : EM_386)) return ProgramProblem::other_machine;
  if (type != ET_EXEC && type != ET_DYN) return ProgramProblem::not_a_program;
  bool is_loaded = false;
  for (unsigned i = 0; i < count; ++i) {
    std::uint32_t kind = 0;  // p_type, the first member of 32-bit and 64-bit headers
    if (pread(file, &kind, sizeof kind, static_cast<off_t>(at + i * each)) != sizeof kind)
      return ProgramProblem::not_a_program;
    program.is_dynamic |= kind == PT_INTERP;
    is_loaded |= kind == PT_LOAD;
  }
  return is_loaded ? ProgramProblem::none : ProgramProblem::not_a_program;
}

/// Parses "#! interpreter [argument]" and inserts its words before the present ones.
ProgramProblem look_at_script(const unsigned char* head, std::size_t bytes, std::size_t level,
                              ProgramFile& program) {
  char* line = program.lines[level];
  const std::size_t length =
      bytes - 2 < sizeof program.lines[0] ? bytes - 2 : sizeof program.lines[0] - 1;
  memcpy(line, head + 2, length);
  line[length] = 0;
  char* end = strchr(line, '\n');
  if (end == nullptr) end = line + strlen(line);
  while (end > line && strchr(kBlanks, end[-1]) != nullptr) --end;
  *end = 0;
  line += strspn(line, kBlanks);
  if (*line == 0) return ProgramProblem::not_a_program;
  char* argument = line + strcspn(line, kBlanks);
  if (*argument != 0) {
    *argument++ = 0;
    argument += strspn(argument, kBlanks);
  }
  strcpy(program.scripts[level], program.path);
  const char* added[3] = {line, argument, program.scripts[level]};
  const std::size_t count = *argument == 0 ? 2 : 3;
  if (count == 2) added[1] = program.scripts[level];
  // The words of the previous script began with this script's path, which is now the third word.
  const std::size_t dropped = program.word_count == 0 ? 0 : 1;
  memmove(program.words + count, program.words + dropped,
          (program.word_count - dropped) * sizeof program.words[0]);
  memcpy(program.words, added, count * sizeof added[0]);
  program.word_count += count - dropped;
  if (strlen(line) >= sizeof program.path) return ProgramProblem::missing;
  strcpy(program.path, line);
  return ProgramProblem::none;
}

ProgramProblem look_at_file(int file, std::size_t level, ProgramFile& program, bool& is_script) {
  unsigned char head[256] = {};
  const ssize_t bytes = pread(file, head, sizeof head, 0);
  if (bytes < 2) return ProgramProblem::not_a_program;
  if (head[0] == '#' && head[1] == '!') {
    is_script = true;
    if (level == ProgramFile::kLevels) return ProgramProblem::too_nested;
    return look_at_script(head, static_cast<std::size_t>(bytes), level, program);
  }
  if (bytes < SELFMAG || memcmp(head, ELFMAG, SELFMAG) != 0) return ProgramProblem::not_a_program;
  struct stat about = {};
  if (fstat(file, &about) != 0) return ProgramProblem::missing;
  const bool sets_group = (about.st_mode & S_ISGID) != 0 && (about.st_mode & S_IXGRP) != 0;
  if ((about.st_mode & S_ISUID) != 0 || sets_group ||
      fgetxattr(file, "security.capability", nullptr, 0) > 0)
    return ProgramProblem::privileged;
  return look_at_elf(file, head, static_cast<std::size_t>(bytes), program);
}

}  // namespace

void classify_program(const char* path, ProgramFile& program) {
  program.word_count = 0;
  program.is_dynamic = false;
  if (strlen(path) >= sizeof program.path) {
    program.path[0] = 0;
    program.problem = ProgramProblem::missing;
    return;
  }
  strcpy(program.path, path);
  for (std::size_t level = 0;; ++level) {
    struct stat about = {};
    if (stat(program.path, &about) != 0) {
      program.problem = ProgramProblem::missing;
      return;
    }
    if (!S_ISREG(about.st_mode) || faccessat(AT_FDCWD, program.path, X_OK, AT_EACCESS) != 0) {
      program.problem = ProgramProblem::not_executable;
      return;
    }
    const int file = open(program.path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
      program.problem = ProgramProblem::unreadable;
      return;
    }
    bool is_script = false;
    program.problem = look_at_file(file, level, program, is_script);
    close(file);
    if (program.problem != ProgramProblem::none || !is_script) return;
  }
}

}  // namespace Atoll::record::dbi
