#include "simulate/temporary_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "atoll/base/error.hpp"

namespace Atoll::simulate {
namespace {

namespace fs = std::filesystem;

constexpr int kMax = 100'000;  ///< folders at a time

/// Closes all files except one. Otherwise, readers of this process's output pipes wouldn't see
/// their end.
void keep_only(int file) {
  ::dup2(file, 0);
  if (::syscall(SYS_close_range, 1U, ~0U, 0U) == 0) return;
  for (int other = 1; other < 1024; ++other) ::close(other);
}

[[noreturn]] void delete_after(int pipe, const fs::path& folder) {
  // Leaves the terminal's foreground process group, to which the terminal sends signals.
  ::setsid();
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  keep_only(pipe);
  char nothing = 0;
  while (::read(0, &nothing, 1) < 0 && errno == EINTR) {
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  ::_exit(0);
}

}  // namespace

TemporaryDirectory::TemporaryDirectory(const fs::path& name) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error::system(name.string(), "creating it", errno);
  std::string path;
  int error = EEXIST;
  for (int number = 0; error == EEXIST && number < kMax; ++number) {
    path = fmt::format("{}{:05}", name.string(), number);
    error = ::mkdir(path.c_str(), 0700) != 0 ? errno : 0;
  }
  path_ = path;
  if (error == 0) {
    waits_ = ::fork();
    if (waits_ == 0) {
      ::close(ends[1]);
      delete_after(ends[0], path_);
    }
    if (waits_ < 0) {
      error = errno;
      ::rmdir(path.c_str());
    }
  }
  ::close(ends[0]);
  alive_ = ends[1];
  if (error == 0) return;
  ::close(alive_);
  throw Error::system(path, "creating it", error);
}

TemporaryDirectory::~TemporaryDirectory() {
  ::close(alive_);
  // A wait for any child elsewhere may have reaped this one.
  int status = 0;
  pid_t waited = -1;
  while ((waited = ::waitpid(waits_, &status, 0)) < 0 && errno == EINTR) {
  }
  // Only if the child was killed: otherwise another process may have a folder of that name by now.
  if (waited != waits_ || !WIFSIGNALED(status)) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace Atoll::simulate
