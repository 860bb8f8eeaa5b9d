// Reserves standard output for `--json` while a watched program writes.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace Atoll::cli {

/// Redirects standard output to standard error during the object's lifetime, if `wanted`. So with
/// `--json`, standard output has only the JSON object.
class StdoutToStderr {
 public:
  explicit StdoutToStderr(bool wanted) {
    if (!wanted) return;
    std::fflush(stdout);
    output_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (output_ >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~StdoutToStderr() {
    if (output_ < 0) return;
    ::dup2(output_, STDOUT_FILENO);
    ::close(output_);
  }
  StdoutToStderr(const StdoutToStderr&) = delete;
  StdoutToStderr& operator=(const StdoutToStderr&) = delete;

 private:
  int output_ = -1;
};

}  // namespace Atoll::cli
