#include "recording/native_run.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "atoll/base/error.hpp"
#include "process/child.hpp"
#include "recording/sample/fault_sampler.hpp"

namespace Atoll::recording {
namespace {

/// Restores the position of standard input, so that both runs read the same file. Rejects pipes,
/// which can't be read twice.
class SameInput {
 public:
  explicit SameInput(const std::string& program) {
    struct stat about = {};
    if (::fstat(STDIN_FILENO, &about) != 0) return;
    if (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode))
      throw Error::input("--native", "runs " + program + " twice, and its input is a pipe",
                         "give its input as a file: atoll profile --native -- … < FILE");
    if (S_ISREG(about.st_mode)) position_ = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
  }
  ~SameInput() {
    if (position_ >= 0) ::lseek(STDIN_FILENO, position_, SEEK_SET);
  }
  SameInput(const SameInput&) = delete;
  SameInput& operator=(const SameInput&) = delete;

 private:
  off_t position_ = -1;
};

}  // namespace

double run_natively(const std::vector<std::string>& command, const rlimit& address_space) {
  const SameInput same(command[0]);
  const std::uint64_t start = sample::monotonic_ns();
  process::Child child({.command = command, .environment = {}, .address_space = address_space});
  while (!child.wait(1000)) {
  }
  return static_cast<double>(sample::monotonic_ns() - start) / 1e9;
}

}  // namespace Atoll::recording
