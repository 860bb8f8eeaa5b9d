// Keeps Atoll's environment variables, so that a program that clears its environment is still
// watched after it calls one of libc's exec functions.
#include "process/inside/environment.hpp"

#include <string.h>
#include <unistd.h>

#include "process/inside/system.hpp"

namespace Atoll::process::inside {
namespace {

constexpr char kPreload[] = "LD_PRELOAD=";
char* kept[kMaxSaved];

std::size_t length(char* const* list) {
  std::size_t n = 0;
  if (list != nullptr)
    while (list[n] != nullptr) ++n;
  return n;
}

/// Returns the length of "NAME=".
std::size_t name_length(const char* entry) {
  const char* end = ::strchr(entry, '=');
  return end == nullptr ? ::strlen(entry) : static_cast<std::size_t>(end - entry) + 1;
}

bool is_preload(const char* entry) {
  return ::strncmp(entry, kPreload, sizeof kPreload - 1) == 0;
}

}  // namespace

void save_environment() {
  std::size_t n = 0;
  for (char** entry = environ; *entry != nullptr && n != kMaxSaved; ++entry) {
    if (!is_preload(*entry) && ::strncmp(*entry, "ATOLL_", 6) != 0) continue;
    const std::size_t bytes = ::strlen(*entry) + 1;
    auto* copy = static_cast<char*>(allocate_permanent(bytes));
    if (copy == nullptr) return;
    ::memcpy(copy, *entry, bytes);
    kept[n++] = copy;
  }
}

std::size_t entries_for(char* const* from) {
  return length(from) + kMaxSaved + 1;
}

void copy_with_saved(char* const* from, char** room) {
  std::size_t n = length(from);
  if (n != 0) ::memcpy(room, from, n * sizeof *room);
  for (char* const* entry = kept; entry != kept + kMaxSaved && *entry != nullptr; ++entry) {
    const std::size_t name = name_length(*entry);
    std::size_t i = 0;
    while (i != n && ::strncmp(room[i], *entry, name) != 0) ++i;
    if (i == n)
      room[n++] = *entry;
    else if (is_preload(*entry) && ::strstr(room[i], *entry + name) == nullptr)
      room[i] = *entry;
  }
  room[n] = nullptr;
}

}  // namespace Atoll::process::inside
