// Handles execve of the guest. The emulator alone would execute the new program natively, and its
// accesses would not be recorded. So the plugin executes the emulator with the same plugin and
// options on the new program. If the program can't be watched (setuid, another machine's, missing),
// the guest's own call proceeds.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/emulator/guest.hpp"

namespace Atoll::record::dbi {
namespace {

/// Returns a copy of a string of the guest, or null if it isn't mapped or too long for exec.
char* copy_text(std::uint64_t address) {
  constexpr std::size_t kLongest = 128 << 10;  // Linux's limit for one argument
  std::size_t bytes = 0;
  char* text = nullptr;
  while (bytes < kLongest) {
    // Copies up to the end of the page, which is mapped if its first byte is.
    const std::size_t more = 4096 - (address + bytes) % 4096;
    auto* longer = static_cast<char*>(realloc(text, bytes + more));
    if (longer == nullptr || !copy_from_guest(address + bytes, longer + bytes, more)) {
      free(longer == nullptr ? text : longer);
      return nullptr;
    }
    text = longer;
    if (memchr(text + bytes, 0, more) != nullptr) return text;
    bytes += more;
  }
  free(text);
  return nullptr;
}

bool copy_pointer(std::uint64_t address, std::uint64_t& value) {
  value = 0;
  return copy_from_guest(address, &value, guest.is_64_bit ? 8 : 4);  // little-endian
}

void free_texts(char** texts, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) free(texts[i]);
  free(texts);
}

void free_texts(char** texts) {
  if (texts == nullptr) return;
  std::size_t count = 0;
  while (texts[count] != nullptr) ++count;
  free_texts(texts, count);
}

/// Returns a copy of a null-terminated array of strings, as passed to execve, or null if it can't
/// be read.
char** copy_texts(std::uint64_t address) {
  std::size_t count = 0;
  std::size_t capacity = 64;
  auto** texts = static_cast<char**>(malloc(capacity * sizeof(char*)));
  if (texts == nullptr) return nullptr;
  for (;; address += guest.is_64_bit ? 8 : 4) {
    std::uint64_t pointer = 0;
    if (count == capacity) {
      auto** larger = static_cast<char**>(realloc(texts, 2 * capacity * sizeof(char*)));
      if (larger == nullptr) break;
      texts = larger;
      capacity *= 2;
    }
    texts[count] = nullptr;
    if (address == 0) return texts;  // Linux takes a missing array as an empty one
    if (!copy_pointer(address, pointer)) break;
    if (pointer == 0) return texts;
    texts[count] = copy_text(pointer);
    if (texts[count++] == nullptr) break;
  }
  free_texts(texts, count);
  return nullptr;
}

/// Finds the file's path as seen by the emulator after the exec, when close-on-exec files are
/// closed.
bool path_of_file(int folder, const char* path, int flags, char (&found)[PATH_MAX]) {
  char link[64];
  if (path[0] == 0) {
    if ((flags & AT_EMPTY_PATH) == 0) return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    const ssize_t length = readlink(link, found, sizeof found - 1);
    found[length > 0 ? length : 0] = 0;
    struct stat by_name = {};
    struct stat by_file = {};
    if (fstat(folder, &by_file) != 0) return false;
    if (stat(found, &by_name) == 0 && by_name.st_ino == by_file.st_ino &&
        by_name.st_dev == by_file.st_dev)
      return true;
    // The file has no name (a memfd, or deleted), so the descriptor has to stay open.
    strcpy(found, link);
    return fcntl(folder, F_SETFD, 0) == 0;
  }
  char self[64];
  snprintf(self, sizeof self, "/proc/%d/exe", getpid());
  int length = 0;
  if (strcmp(path, "/proc/self/exe") == 0 || strcmp(path, self) == 0)
    length = snprintf(found, sizeof found, "%s", guest.program);
  else if (path[0] == '/' || folder == AT_FDCWD)
    length = snprintf(found, sizeof found, "%s", path);
  else
    length = snprintf(found, sizeof found, "/proc/self/fd/%d/%s", folder, path);
  if (length >= static_cast<int>(sizeof found)) return false;
  if (path[0] != '/' && folder != AT_FDCWD) {
    char absolute[PATH_MAX];
    if (realpath(found, absolute) == nullptr) return false;
    strcpy(found, absolute);
  }
  return true;
}

}  // namespace

void execute(int folder, std::uint64_t path_address, std::uint64_t arguments_address,
             std::uint64_t environment_address, int flags) {
  if ((flags & AT_SYMLINK_NOFOLLOW) != 0) return;
  char* given = copy_text(path_address);
  if (given == nullptr) return;
  char path[PATH_MAX];
  const bool has_path = path_of_file(folder, given, flags, path);
  free(given);
  if (!has_path) return;
  static ProgramFile program;  // not shared in practice: an exec ends all other threads
  classify_program(path, program);
  if (program.problem != ProgramProblem::none) return;
  Emulator emulator = guest.emulator;
  if (program.is_64_bit != guest.is_64_bit) emulator.qemu = guest.sibling;
  if (access(emulator.qemu, X_OK) != 0) return;
  char** arguments = copy_texts(arguments_address);
  char** environment = copy_texts(environment_address);
  if (arguments != nullptr && environment != nullptr) {
    const Invocation called = invocation(emulator, program, arguments, environment);
    if (called.memory != nullptr) {
      record::end_process();
      execve(emulator.qemu, called.arguments, called.environment);
      record::revert_end_process();
      free(called.memory);
    }
  }
  free_texts(arguments);
  free_texts(environment);
}

}  // namespace Atoll::record::dbi
