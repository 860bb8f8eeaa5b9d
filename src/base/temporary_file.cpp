#include "base/temporary_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "atoll/base/error.hpp"

namespace Atoll {
namespace {

constexpr std::string_view kPrefix = ".atoll-", kSuffix = ".tmp";
constexpr std::size_t kRandom = 16;  ///< number of characters
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::time_t kDay = 86'400;  // seconds

bool is_random_name(std::string_view name) {
  return name.size() == kPrefix.size() + kRandom + kSuffix.size() && name.starts_with(kPrefix) &&
         name.ends_with(kSuffix) &&
         name.substr(kPrefix.size(), kRandom).find_first_not_of(kLetters) == std::string_view::npos;
}

}  // namespace

std::string random_word() {
  std::array<unsigned char, kRandom> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error::system("random numbers", "getting some", errno);
  std::string word;
  for (const unsigned char byte : bytes) word += kLetters[byte % kLetters.size()];
  return word;
}

std::string temporary_path(const std::string& folder) {
  return std::filesystem::path(folder) / std::string(kPrefix).append(random_word()).append(kSuffix);
}

TemporaryFile create_temporary_file(const std::string& folder, mode_t bits) {
  for (;;) {
    std::string path = temporary_path(folder);
    const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, bits);
    if (file >= 0) return {file, std::move(path)};
    if (errno != EEXIST) return {};
  }
}

TemporaryFile create_temporary_file() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return {};
  remove_old_temporary_files(folder);
  return create_temporary_file(folder);
}

void remove_old_temporary_files(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
  if (opened == nullptr) return;
  const int at = ::dirfd(opened.get());
  while (const dirent* entry = ::readdir(opened.get())) {
    if (!is_random_name(entry->d_name)) continue;
    struct stat status {};
    if (::fstatat(at, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
        status.st_mtime < ::time(nullptr) - kDay)
      ::unlinkat(at, entry->d_name, 0);
  }
}

}  // namespace Atoll
