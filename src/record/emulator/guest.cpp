// Reads the description of the guest from the emulator's command line, which emulator.cpp built.
#include "record/emulator/guest.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

namespace Atoll::record::dbi {

Guest guest;

namespace {

constexpr char kQemu64[] = "qemu-x86_64";
constexpr char kQemu32[] = "qemu-i386";

/// Returns the contents of a file in /proc, zero-terminated, or null if it can't be read.
char* read_all(const char* path, std::size_t& bytes) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  std::size_t capacity = 1 << 16;
  auto* text = static_cast<char*>(malloc(capacity));
  bytes = 0;
  for (ssize_t got = 1; text != nullptr && got > 0; bytes += static_cast<std::size_t>(got)) {
    if (bytes + 1 == capacity) {
      auto* larger = static_cast<char*>(realloc(text, capacity *= 2));
      if (larger == nullptr) free(text);
      text = larger;
      if (text == nullptr) break;
    }
    got = read(file, text + bytes, capacity - bytes - 1);
    if (got <= 0) break;
  }
  close(file);
  if (text != nullptr) text[bytes] = 0;
  return text;
}

char* in_folder_of(const char* path, const char* name) {
  const char* slash = strrchr(path, '/');
  const std::size_t folder = slash == nullptr ? 0 : static_cast<std::size_t>(slash - path) + 1;
  auto* text = static_cast<char*>(malloc(folder + strlen(name) + 1));
  if (text == nullptr) return nullptr;
  memcpy(text, path, folder);
  strcpy(text + folder, name);
  return text;
}

const char* option(int argc, char** argv, const char* start) {
  for (int i = 0; i < argc; ++i)
    if (strncmp(argv[i], start, strlen(start)) == 0) return argv[i] + strlen(start);
  return nullptr;
}

/// Parses qemu's options, each of which has a value, up to the guest's path and arguments.
bool know_command() {
  std::size_t bytes = 0;
  char* text = read_all("/proc/self/cmdline", bytes);
  if (text == nullptr) return false;
  const char* end = text + bytes;
  const char* name = "";
  char* word = text + strlen(text) + 1;
  while (word < end && word[0] == '-') {
    const bool is_name = strcmp(word, "-0") == 0;
    word += strlen(word) + 1;
    if (word >= end) break;
    if (is_name) name = word;
    word += strlen(word) + 1;
  }
  if (word >= end) return false;
  if (realpath(word, guest.program) == nullptr) strcpy(guest.program, "");
  // The name replaces the path, so that all arguments are contiguous.
  const char* rest = word + strlen(word) + 1;
  const std::size_t rest_bytes = rest < end ? static_cast<std::size_t>(end - rest) : 0;
  auto* arguments = static_cast<char*>(malloc(strlen(name) + 1 + rest_bytes));
  if (arguments == nullptr) return false;
  strcpy(arguments, name);
  memcpy(arguments + strlen(name) + 1, rest, rest_bytes);
  guest.arguments = arguments;
  guest.argument_bytes = strlen(name) + 1 + rest_bytes;
  free(text);
  return true;
}

}  // namespace

bool read_guest_options(const char* target, int argc, char** argv) {
  static char qemu[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", qemu, sizeof qemu - 1);
  Dl_info self = {};
  const char* region = option(argc, argv, "region=");
  const char* library = option(argc, argv, "library=");
  const char* objects = option(argc, argv, "objects=");
  if (length <= 0 || region == nullptr || library == nullptr || objects == nullptr ||
      !know_command() || dladdr(reinterpret_cast<void*>(read_guest_options), &self) == 0)
    return false;
  guest.is_64_bit = strcmp(target, "x86_64") == 0;
  guest.has_library = strcmp(objects, "library") == 0;
  const char* plugin = realpath(self.dli_fname, nullptr);
  if (plugin == nullptr) return false;
  guest.emulator = {qemu, plugin, strdup(library), strdup(region)};
  guest.library_file = realpath(library, nullptr);
  guest.sibling = in_folder_of(qemu, guest.is_64_bit ? kQemu32 : kQemu64);
  return guest.emulator.library != nullptr && guest.library_file != nullptr &&
         guest.emulator.region != nullptr && guest.sibling != nullptr;
}

bool copy_from_guest(std::uint64_t address, void* to, std::size_t bytes) {
  iovec here = {to, bytes};
  iovec there = {guest.base + address, bytes};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

}  // namespace Atoll::record::dbi
