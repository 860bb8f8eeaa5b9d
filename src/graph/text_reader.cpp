// Cutting a text into chunks at line ends.
#include "graph/text_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "atoll/base/error.hpp"

namespace Atoll::graph {

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0)
    throw Error::input(path_, errno == ENOENT ? "no such file" : std::strerror(errno),
                       "name a graph: an edge list, Matrix Market or Atoll's binary file");
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0) {
    regular_ = S_ISREG(status.st_mode);
    bytes_ = regular_ ? static_cast<std::size_t>(status.st_size) : 0;
  }
  if (S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    throw Error::input(path_, "is a directory", "name a file in it");
  }
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

std::size_t InputFile::read(char* to, std::size_t bytes) const {
  while (true) {
    const ssize_t got = ::read(descriptor_, to, bytes);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw Error::system(path_, "reading", errno);
  }
}

TextReader::TextReader(const InputFile& file, std::size_t chunk_bytes)
    : file_(file), chunk_bytes_(chunk_bytes) {}

bool TextReader::read_more(std::size_t bytes) {
  const std::size_t before = pending_.size();
  pending_.resize(before + bytes);
  const std::size_t got = file_.read(pending_.data() + before, bytes);
  pending_.resize(before + got);
  return got > 0;
}

std::string_view TextReader::peek(std::size_t bytes) {
  while (pending_.size() < bytes && read_more(bytes - pending_.size())) {
  }
  return pending_;
}

void TextReader::refuse_long_line() const {
  throw Error::input(file_.path(), "a line of more than 1 MiB",
                     "is this a graph? write 'source target' a line");
}

bool TextReader::take_line(std::string& line) {
  std::size_t end;
  while ((end = pending_.find('\n', at_)) == std::string::npos) {
    if (pending_.size() - at_ > kMaxLineBytes) refuse_long_line();
    if (read_more(4096)) continue;
    if (at_ == pending_.size()) return false;
    pending_ += '\n';
  }
  line.assign(pending_, at_, end - at_);
  at_ = end + 1;
  ++lines_taken_;
  return true;
}

bool TextReader::next(Chunk& chunk) {
  const std::scoped_lock lock(mutex_);
  std::vector<char>& memory = chunk.memory;
  std::size_t size = 0;
  std::size_t whole = 0;  // bytes up to the last line break
  for (bool end = false; whole == 0;) {
    if (size > kMaxLineBytes) refuse_long_line();
    const std::size_t wanted = std::max(chunk_bytes_, 2 * size);
    if (memory.size() < wanted + 1 + kPadding) memory.resize(wanted + 1 + kPadding);
    const std::size_t taken = std::min(wanted - size, pending_.size() - at_);
    std::memcpy(memory.data() + size, pending_.data() + at_, taken);
    at_ += taken;
    size += taken;
    while (size < wanted && !end) {
      const std::size_t got = file_.read(memory.data() + size, wanted - size);
      size += got;
      end = got == 0;
    }
    if (size == 0) return false;
    if (end && memory[size - 1] != '\n') memory[size++] = '\n';
    if (const void* last = ::memrchr(memory.data(), '\n', size))
      whole = static_cast<std::size_t>(static_cast<const char*>(last) - memory.data()) + 1;
  }
  // What follows the last line break goes before what is pending still.
  pending_.replace(0, at_, memory.data() + whole, size - whole);
  at_ = 0;
  chunk.index = chunks_++;
  chunk.text = {memory.data(), whole};
  return true;
}

}  // namespace Atoll::graph
