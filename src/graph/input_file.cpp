// Opens and reads files.
#include "graph/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "atoll/base/error.hpp"

namespace Atoll::graph {

InputFile::InputFile(const std::string& path) : name_(path == "-" ? "standard input" : path) {
  descriptor_ = path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                            : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0)
    throw Error::input(name_, errno == ENOENT ? "no such file" : std::strerror(errno),
                       "name a file that is there");
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0) {
    regular_ = S_ISREG(status.st_mode);
    bytes_ = regular_ ? static_cast<std::size_t>(status.st_size) : 0;
  }
  if (S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    throw Error::input(name_, "is a directory", "name a file in it");
  }
  // A read from a pipe or socket may block without limit. stop() wakes it through this pipe.
  if (!regular_ && ::pipe2(stopped_, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error::system(name_, "making a pipe", errno);
}

InputFile::~InputFile() {
  for (const int end : {descriptor_, stopped_[0], stopped_[1]})
    if (end >= 0) ::close(end);
}

void InputFile::stop() noexcept {
  if (stopped_[1] >= 0) static_cast<void>(!::write(stopped_[1], "", 1));
}

bool InputFile::wait_for_bytes() const {
  pollfd ends[]{{descriptor_, POLLIN, 0}, {stopped_[0], POLLIN, 0}};
  while (::poll(ends, std::size(ends), -1) < 0 && errno == EINTR) {
  }
  return ends[1].revents == 0;
}

std::size_t InputFile::read_next(char* to, std::size_t bytes) {
  if (stopped_[0] >= 0 && !wait_for_bytes()) return 0;
  while (true) {
    const ssize_t got = ::read(descriptor_, to, bytes);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw Error::system(name_, "reading", errno);
  }
}

}  // namespace Atoll::graph
