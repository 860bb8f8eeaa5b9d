// Calls libarchive, and converts its errors to Error.
#include "graph/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <new>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "graph/packed.hpp"

namespace Atoll::graph {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;
/// Graphs compress by a factor of 3 to 60. A file that unpacks to more than 200 times its size is
/// treated as a decompression bomb. (deflate reaches at most 1032; other formats have no limit.)
constexpr std::size_t kMaxRatio = 200;
/// Files that unpack to at most this size are exempt from kMaxRatio.
constexpr std::size_t kRatioExemptBytes = 64 * kMiB;

/// The kinds of files that is_packed() recognises, without gzip.
constexpr std::array kSupported{archive_read_support_filter_zstd, archive_read_support_filter_xz,
                                archive_read_support_filter_bzip2,
                                archive_read_support_format_zip_streamable,
                                archive_read_support_format_tar};

constexpr const char* kByHand = "unpack it by hand, and name the graph's file";

}  // namespace

struct Archive::Callback {
  static la_ssize_t read(archive* self, void* data, const void** block) {
    auto& from = *static_cast<Archive*>(data);
    try {
      *block = from.block_.data();
      ByteSource& source = from.gunzip_ ? static_cast<ByteSource&>(*from.gunzip_) : from.packed_;
      return static_cast<la_ssize_t>(source.read(from.block_.data(), from.block_.size()));
    } catch (...) {
      from.error_ = std::current_exception();
    }
    archive_set_error(self, EIO, "reading failed");
    return -1;
  }
};

Archive::Archive(InputFile& packed, archive* opened)
    : packed_(packed), name_(packed.name()), archive_(opened), block_(kReadBytes) {}

// The delegated constructor has finished, so its object is destroyed even if open() throws.
Archive::Archive(InputFile& packed) : Archive(packed, archive_read_new()) {
  open();
}

void Archive::open() {
  if (archive_ == nullptr) throw std::bad_alloc();
  if (is_gzip(packed_.peek(kPackedHeadBytes))) gunzip_.emplace(packed_);
  for (const auto& support : kSupported) support(archive_);
  archive_read_support_format_raw(archive_);
  archive_read_support_format_empty(archive_);
  archive_entry* entry = nullptr;
  if (archive_read_open(archive_, this, nullptr, Callback::read, nullptr) != ARCHIVE_OK) fail();
  if (!next_file(entry)) throw Error::input(name_, "no file is packed in it", "pack a graph");
  // At most one compression is allowed: Gunzip or a filter. The count includes the raw bytes.
  if (archive_filter_count(archive_) + (gunzip_ ? 1 : 0) > 2)
    throw Error::input(name_, "packed more than once", kByHand);
  if (archive_format(archive_) == ARCHIVE_FORMAT_RAW) return;
  const char* const member = archive_entry_pathname_utf8(entry);
  member_ = member != nullptr ? member : "a file";
  name_ = fmt::format("{}({})", name_, member_);
  if (archive_entry_is_encrypted(entry) != 0) throw Error::input(name_, "encrypted", kByHand);
}

Archive::~Archive() {
  archive_read_free(archive_);
}

void Archive::fail() {
  if (error_) std::rethrow_exception(error_);
  const char* const why = archive_error_string(archive_);
  throw Error::input(packed_.name(),
                     fmt::format("can't be unpacked: {}", why != nullptr ? why : "it is damaged"),
                     "get it again, or unpack it by hand");
}

bool Archive::next_file(archive_entry*& entry) {
  while (true) {
    const int got = archive_read_next_header(archive_, &entry);
    if (error_ || got < ARCHIVE_WARN)
      fail();  // libarchive reports a short unreadable file as an empty one
    if (got == ARCHIVE_EOF) return false;
    if (archive_entry_filetype(entry) != AE_IFDIR) return true;
  }
}

std::size_t Archive::read(char* to, std::size_t bytes) {
  const la_ssize_t got = archive_read_data(archive_, to, bytes);
  if (got < 0) fail();
  count_unpacked(static_cast<std::size_t>(got));
  return static_cast<std::size_t>(got);
}

void Archive::count_unpacked(std::size_t bytes) {
  unpacked_bytes_ += bytes;
  if (unpacked_bytes_ > kRatioExemptBytes && unpacked_bytes_ / kMaxRatio > packed_.taken())
    throw Error::input(name_, fmt::format("unpacks to more than {} times its size", kMaxRatio),
                       "is it a graph? unpack it by hand if so");
}

void Archive::refuse_other_files() {
  archive_entry* entry = nullptr;
  if (!next_file(entry)) {
    // libarchive stops at a tar's end mark; gzip's checksum follows it.
    while (gunzip_)
      if (const std::size_t got = gunzip_->read(block_.data(), block_.size()); got > 0)
        count_unpacked(got);
      else
        break;
    return;
  }
  const char* const other = archive_entry_pathname_utf8(entry);
  throw Error::input(
      packed_.name(),
      fmt::format("holds several files: '{}', '{}'", member_, other != nullptr ? other : "another"),
      "unpack the one that is the graph");
}

}  // namespace Atoll::graph
