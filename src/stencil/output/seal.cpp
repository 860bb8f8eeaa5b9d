#include "stencil/output/seal.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "atoll/base/error.hpp"

namespace Atoll::stencil {
namespace {

constexpr std::string_view kBegin = "Atoll checkpoint ";
constexpr std::string_view kVersion = "1\n";
constexpr std::string_view kLength = "bytes ";

std::int64_t size_of(int descriptor, const std::string& where) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw Error::system(where, "reading it", errno);
  return status.st_size;
}

/// Reads up to `buffer.size()` bytes at offset `at`; fewer at the end of the file. Returns the
/// number of bytes.
std::size_t read_at(int descriptor, std::int64_t at, std::vector<char>& buffer,
                    const std::string& where) {
  std::size_t all = 0;
  while (all < buffer.size()) {
    const ssize_t got = ::pread(descriptor, buffer.data() + all, buffer.size() - all,
                                static_cast<off_t>(at + static_cast<std::int64_t>(all)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error::system(where, "reading it", errno);
    if (got == 0) break;
    all += static_cast<std::size_t>(got);
  }
  return all;
}

/// Returns the length in a seal, or -1.
std::int64_t length_in_seal(std::string_view seal) {
  std::int64_t bytes = -1;
  const std::size_t at = kBegin.size() + kVersion.size();
  if (seal.substr(at).starts_with(kLength))
    std::from_chars(seal.data() + at + kLength.size(), seal.data() + seal.size(), bytes);
  return bytes;
}

}  // namespace

std::string seal_of(int descriptor, const std::string& where) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  if (state == nullptr) throw Error::memory(where, "there is no memory for a checksum");
  XXH3_128bits_reset(state.get());
  std::vector<char> buffer(std::size_t{1} << 20);
  std::int64_t at = kSealBytes;
  while (const std::size_t got = read_at(descriptor, at, buffer, where)) {
    XXH3_128bits_update(state.get(), buffer.data(), got);
    at += static_cast<std::int64_t>(got);
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  std::string seal = fmt::format("{}{}{}{}\nxxh3 {:016x}{:016x}\n", kBegin, kVersion, kLength, at,
                                 hash.high64, hash.low64);
  seal.resize(kSealBytes, '\0');
  return seal;
}

void check_seal(int descriptor, const std::string& where) {
  std::vector<char> head(kSealBytes);
  const std::string_view seal(head.data(), read_at(descriptor, 0, head, where));
  if (!seal.starts_with(kBegin))
    throw Error::input(where, "isn't a checkpoint: it doesn't begin as one",
                       "name a file that --checkpoint wrote");
  if (const std::string_view version = seal.substr(kBegin.size()); !version.starts_with(kVersion))
    throw Error::input(where, "is cut short, damaged or a checkpoint of another version",
                       "use the version of Atoll that wrote it");
  const std::int64_t size = size_of(descriptor, where);
  const std::int64_t told = length_in_seal(seal);
  if (seal.size() < kSealBytes || size < told)
    throw Error::input(where,
                       fmt::format("is cut short: it has {} bytes of {}", size,
                                   std::max(told, std::int64_t{kSealBytes})),
                       "restart from an older checkpoint, or from the beginning");
  if (seal != seal_of(descriptor, where))
    throw Error::input(where, "is damaged: its content doesn't fit its checksum",
                       "restart from an older checkpoint, or from the beginning");
}

}  // namespace Atoll::stencil
