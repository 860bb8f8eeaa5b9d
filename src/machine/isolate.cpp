// Runs a child process that returns its result through a pipe: one letter for the kind, then text.
#include "machine/isolate.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>

#include "atoll/base/error.hpp"

namespace Atoll::detail {
namespace {

constexpr char kResult = 'r';
constexpr char kInputError = 'i';
constexpr char kFailure = 'f';

void limit(decltype(RLIMIT_CPU) resource, rlim_t most) {
  const rlimit both{most, most};
  setrlimit(resource, &both);
}

/// Returns the size of the current address space (large with sanitizers) plus 1 GiB.
rlim_t address_space_limit() {
  unsigned long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages == 0 ? RLIM_INFINITY
                    : static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) +
                          (rlim_t{1} << 30);
}

std::string outcome(const std::function<std::string()>& work) {
  try {
    return kResult + work();
  } catch (const Error& error) {
    return (error.kind() == Error::Kind::input ? kInputError : kFailure) +
           std::string(error.what());
  }
}

[[noreturn]] void be_the_child(int pipe, const std::function<std::string()>& work) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, 10);
  limit(RLIMIT_AS, address_space_limit());
  if (const int null = open("/dev/null", O_WRONLY); null >= 0) dup2(null, STDERR_FILENO);
  try {
    const std::string text = outcome(work);
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t written = write(pipe, text.data() + sent, text.size() - sent);
      if (written < 0 && errno != EINTR) _exit(1);
      if (written > 0) sent += static_cast<std::size_t>(written);
    }
  } catch (const std::exception&) {
    _exit(1);  // most likely out of memory
  }
  _exit(0);
}

std::string read_all(int pipe) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t got = read(pipe, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string run_isolated(const std::function<std::string()>& work, std::string_view where,
                         std::string_view what, std::string_view way_out) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error::system(where, "making a pipe", errno);
  const pid_t child = fork();
  if (child == 0) be_the_child(ends[1], work);
  const int fork_error = errno;
  close(ends[1]);
  std::string text = child > 0 ? read_all(ends[0]) : std::string();
  close(ends[0]);
  if (child < 0) throw Error::system(where, "starting a process", fork_error);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || text.empty())
    throw Error::input(where, what, way_out);
  const char kind = text.front();
  text.erase(0, 1);
  if (kind == kInputError) throw Error(Error::Kind::input, "", text);
  if (kind == kFailure) throw Error(Error::Kind::failed, "", text);
  return text;
}

}  // namespace Atoll::detail
