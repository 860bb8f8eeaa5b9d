// Keeps standard output for `--json`, while a watched program writes.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace Atoll::cli {

/// While one lives, what is written to standard output goes to standard error: there, `--json`
/// prints an object and nothing else.
class OutputAside {
 public:
  explicit OutputAside(bool wanted) {
    if (!wanted) return;
    std::fflush(stdout);
    output_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (output_ >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~OutputAside() {
    if (output_ < 0) return;
    ::dup2(output_, STDOUT_FILENO);
    ::close(output_);
  }
  OutputAside(const OutputAside&) = delete;
  OutputAside& operator=(const OutputAside&) = delete;

 private:
  int output_ = -1;
};

}  // namespace Atoll::cli
