// The checksum is XXH3 of the page, seeded with the page's number to detect swapped pages.
#include "profile/seal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "atoll/base/error.hpp"
#include "profile/schema.hpp"

namespace Atoll::profile {
namespace {

using Page = std::span<const char, kPageSize>;
constexpr std::size_t kHashed = kPageSize - kSealBytes;
static_assert(sizeof(XXH128_canonical_t) == kSealBytes);

XXH128_canonical_t seal_of(Page page, std::uint64_t number) {
  XXH128_canonical_t seal;
  XXH128_canonicalFromHash(&seal, XXH3_128bits_withSeed(page.data(), kHashed, number));
  return seal;
}

class File {
 public:
  File(const std::string& path, int mode) : path_(path), file_(::open(path.c_str(), mode)) {
    if (file_ < 0) throw Error::system(path, "opening it", errno);
  }
  ~File() { ::close(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void for_each_page(const std::function<void(Page, std::uint64_t number)>& use) const {
    std::vector<char> pages(64 * kPageSize);
    std::uint64_t number = 0;
    for (std::size_t have = 0;;) {
      const ssize_t more = ::read(file_, &pages[have], pages.size() - have);
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) throw Error::system(path_, "reading it", errno);
      if (more == 0) return;
      have += static_cast<std::size_t>(more);
      std::size_t at = 0;
      for (; have - at >= kPageSize; at += kPageSize) use(Page(&pages[at], kPageSize), number++);
      std::memmove(pages.data(), &pages[at], have - at);
      have -= at;
    }
  }
  void write(const XXH128_canonical_t& seal, std::uint64_t number) const {
    const auto at = static_cast<off_t>(number * kPageSize + kHashed);
    if (::pwrite(file_, &seal, sizeof seal, at) != sizeof seal)
      throw Error::system(path_, "writing it", errno);
  }

 private:
  const std::string& path_;
  int file_;
};

}  // namespace

void seal(const std::string& path) {
  const File file(path, O_RDWR | O_CLOEXEC);
  file.for_each_page(
      [&](Page page, std::uint64_t number) { file.write(seal_of(page, number), number); });
}

void check_seal(const std::string& path) {
  File(path, O_RDONLY | O_CLOEXEC).for_each_page([&](Page page, std::uint64_t number) {
    const XXH128_canonical_t right = seal_of(page, number);
    if (std::memcmp(&page[kHashed], &right, sizeof right) != 0)
      throw Error::input(path,
                         fmt::format("is damaged, or was changed: bytes {} to {} aren't as they "
                                     "were written",
                                     number * kPageSize, (number + 1) * kPageSize - 1),
                         "record it again with 'atoll profile'");
  });
}

}  // namespace Atoll::profile
