// Redirects accesses to files below /sys and /proc to the simulated machine's files.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "simulate/inside/shown.hpp"

using namespace Atoll::simulate::inside;

namespace {

#define ATOLL_NEXT(function)                              \
  constinit Next<decltype(&::function)> next_##function { \
    #function                                             \
  }
ATOLL_NEXT(fopen);
ATOLL_NEXT(opendir);
ATOLL_NEXT(access);
ATOLL_NEXT(readlink);
ATOLL_NEXT(scandir);
using Open = int (*)(const char*, int, ...);
using OpenAt = int (*)(int, const char*, int, ...);
using Stat = int (*)(const char*, struct stat*);
using StatAt = int (*)(int, const char*, struct stat*, int);
constinit Next<Open> next_open{"open"};
constinit Next<OpenAt> next_openat{"openat"};
constinit Next<Stat> next_stat{"stat"}, next_lstat{"lstat"};
constinit Next<StatAt> next_fstatat{"fstatat"};

/// Path to use instead of `path`; `path` itself if it is not redirected.
class Path {
 public:
  explicit Path(const char* path) : path_(path) {
    if (path == nullptr || path[0] != '/') return;
    for (const char* shown :
         {"/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/fs/cgroup", "/proc/cpuinfo",
          "/proc/meminfo", "/proc/zoneinfo", "/proc/self/cgroup"}) {
      const std::size_t length = ::strlen(shown);
      if (::strncmp(path, shown, length) != 0 || (path[length] != '\0' && path[length] != '/'))
        continue;
      if (view() == nullptr || ::strlen(view_folder()) + ::strlen(path) >= sizeof text_) return;
      ::strcpy(text_, view_folder());
      ::strcat(text_, path);
      path_ = text_;
      return;
    }
  }
  [[nodiscard]] const char* get() const { return path_; }

 private:
  const char* path_;
  char text_[PATH_MAX];
};

bool is_status(const char* path) {
  return path != nullptr && view() != nullptr &&
         (::strcmp(path, "/proc/self/status") == 0 ||
          ::strcmp(path, "/proc/thread-self/status") == 0);
}

/// Print the set bits of a mask as "0-3,8" or as "000f".
void put_list(FILE* file, const std::uint64_t* words, unsigned count) {
  bool first = true;
  const auto has = [&](unsigned i) { return i < count && (words[i / 64] >> i % 64 & 1) != 0; };
  for (unsigned i = 0; i < count; ++i) {
    if (!has(i)) continue;
    const unsigned begin = i;
    while (has(i + 1)) ++i;
    ::fprintf(file, begin == i ? "%s%u" : "%s%u-%u", first ? "" : ",", begin, i);
    first = false;
  }
  ::fputc('\n', file);
}

void put_mask(FILE* file, const std::uint64_t* words, unsigned count) {
  for (unsigned word = count / 32; word > 0; --word)
    ::fprintf(file, "%08x%c",
              static_cast<unsigned>(words[(word - 1) / 2] >> ((word - 1) % 2 * 32) & 0xffff'ffffU),
              word == 1 ? '\n' : ',');
}

/// Opens a copy of the process's real status file, with the processors and nodes of the simulated
/// machine.
int open_status(const char* path) {
  const int file = static_cast<int>(::syscall(SYS_memfd_create, "status", MFD_CLOEXEC));
  FILE* from = next_fopen(path, "re");
  const int copy = file < 0 ? -1 : ::dup(file);
  FILE* to = copy < 0 ? nullptr : ::fdopen(copy, "w");
  if (from == nullptr || to == nullptr) {
    if (from != nullptr) ::fclose(from);
    if (to != nullptr) ::fclose(to);
    if (file >= 0) ::close(file);
    return next_open(path, O_RDONLY | O_CLOEXEC);
  }
  const Affinity now = state_of(own_row()).affinity;
  const auto begins = [](const char* line, const char* name) {
    return ::strncmp(line, name, ::strlen(name)) == 0;
  };
  char line[4096];
  while (::fgets(line, sizeof line, from) != nullptr) {
    if (begins(line, "Cpus_allowed:")) {
      ::fputs("Cpus_allowed:\t", to);
      put_mask(to, now.words, kMaxPus);
    } else if (begins(line, "Cpus_allowed_list:")) {
      ::fputs("Cpus_allowed_list:\t", to);
      put_list(to, now.words, kMaxPus);
    } else if (begins(line, "Mems_allowed:")) {
      ::fputs("Mems_allowed:\t", to);
      put_mask(to, view()->shown_nodes, kMaxNodes);
    } else if (begins(line, "Mems_allowed_list:")) {
      ::fputs("Mems_allowed_list:\t", to);
      put_list(to, view()->shown_nodes, kMaxNodes);
    } else {
      ::fputs(line, to);
    }
  }
  ::fclose(from);
  ::fclose(to);
  ::lseek(file, 0, SEEK_SET);
  return file;
}

unsigned mode_of(int flags, va_list list) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, unsigned) : 0;
}

}  // namespace

#define ATOLL_OPEN(name)                                       \
  ATOLL_INTERPOSE int name(const char* path, int flags, ...) { \
    va_list list;                                              \
    va_start(list, flags);                                     \
    const unsigned mode = mode_of(flags, list);                \
    va_end(list);                                              \
    if (is_status(path)) return open_status(path);             \
    return next_open(Path(path).get(), flags, mode);           \
  }
ATOLL_OPEN(open)
ATOLL_OPEN(open64)
#define ATOLL_OPENAT(name)                                                 \
  ATOLL_INTERPOSE int name(int folder, const char* path, int flags, ...) { \
    va_list list;                                                          \
    va_start(list, flags);                                                 \
    const unsigned mode = mode_of(flags, list);                            \
    va_end(list);                                                          \
    if (is_status(path)) return open_status(path);                         \
    return next_openat(folder, Path(path).get(), flags, mode);             \
  }
ATOLL_OPENAT(openat)
ATOLL_OPENAT(openat64)

#define ATOLL_FOPEN(name)                                          \
  ATOLL_INTERPOSE FILE* name(const char* path, const char* mode) { \
    if (is_status(path)) return ::fdopen(open_status(path), "r");  \
    return next_fopen(Path(path).get(), mode);                     \
  }
ATOLL_FOPEN(fopen)
ATOLL_FOPEN(fopen64)

ATOLL_INTERPOSE DIR* opendir(const char* path) {
  return next_opendir(Path(path).get());
}
ATOLL_INTERPOSE int scandir(const char* path, dirent*** found, int (*wanted)(const dirent*),
                            int (*order)(const dirent**, const dirent**)) {
  return next_scandir(Path(path).get(), found, wanted, order);
}
ATOLL_INTERPOSE int access(const char* path, int mode) noexcept {
  return next_access(Path(path).get(), mode);
}
ATOLL_INTERPOSE ssize_t readlink(const char* path, char* text, std::size_t bytes) noexcept {
  return next_readlink(Path(path).get(), text, bytes);
}
#define ATOLL_STAT(name, next)                                              \
  ATOLL_INTERPOSE int name(const char* path, struct stat* about) noexcept { \
    return next(Path(path).get(), about);                                   \
  }
ATOLL_STAT(stat, next_stat)
ATOLL_STAT(lstat, next_lstat)
ATOLL_INTERPOSE int stat64(const char* path, struct stat64* about) noexcept {
  return next_stat(Path(path).get(), reinterpret_cast<struct stat*>(about));
}
ATOLL_INTERPOSE int lstat64(const char* path, struct stat64* about) noexcept {
  return next_lstat(Path(path).get(), reinterpret_cast<struct stat*>(about));
}
ATOLL_INTERPOSE int fstatat(int folder, const char* path, struct stat* about, int flags) noexcept {
  return next_fstatat(folder, Path(path).get(), about, flags);
}
ATOLL_INTERPOSE int fstatat64(int folder, const char* path, struct stat64* about,
                              int flags) noexcept {
  return next_fstatat(folder, Path(path).get(), reinterpret_cast<struct stat*>(about), flags);
}
