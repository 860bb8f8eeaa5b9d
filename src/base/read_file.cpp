#include "atoll/base/read_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"

namespace Atoll {
namespace {

constexpr std::size_t kFirstBytes = 4096, kPiece = 1 << 20;

class Descriptor {
 public:
  explicit Descriptor(const char* path) : number_(::open(path, O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// Appends `bytes` bytes, fewer only at the end of the file. Returns false on a read error.
bool append(int file, std::string& text, std::size_t bytes) {
  const std::size_t begin = text.size();
  text.resize(begin + bytes);
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::read(file, text.data() + begin + done, bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(begin + done);
  return true;
}

}  // namespace

std::string read_file(const std::string& path, const FileKind& kind) {
  const auto unreadable = [&] {
    if (errno == EISDIR) return Error::input(path, "is a directory", kind.way_out);
    return Error::input(path, std::string("can't be read: ") + std::strerror(errno), kind.way_out);
  };
  const Descriptor file(path.c_str());
  std::string text;
  if (file.number() < 0 || !append(file.number(), text, kFirstBytes)) throw unreadable();
  if (kind.check_first)
    kind.check_first(text);
  else if (text.find('\0') != std::string::npos)
    throw Error::input(path, "is no text: it has a zero byte", kind.way_out);
  for (std::size_t before = 0; text.size() > before && text.size() % kFirstBytes == 0;) {
    before = text.size();
    if (!append(file.number(), text, kPiece)) throw unreadable();
    if (text.size() > kind.most_bytes)
      throw Error::input(path, "is larger than " + format_bytes(kind.most_bytes), kind.way_out);
  }
  return text;
}

}  // namespace Atoll
