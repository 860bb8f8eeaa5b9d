#include "recording/shared_region.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "atoll/recording/recording.hpp"
#include "record/recorder.hpp"
#include "recording/region_view.hpp"

namespace Atoll::recording {
namespace {

constexpr std::uint64_t kFirstEpochNs = 10'000'000;  // 64 epochs are the first 0.64 s
constexpr std::uint32_t kEpochs = 64;
constexpr std::uint64_t kLeastBytes = 1 << 20;
constexpr std::uint64_t kBytesOfBucket = 4096;  // region's bytes for each bucket: about seven
                                                // pages' counters

std::uint64_t memory_of_computer() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::uint64_t region_bytes(const RegionOptions& options) {
  const std::uint64_t wanted = options.bytes != 0 ? options.bytes : memory_of_computer() / 4;
  return std::max(wanted, kLeastBytes) / kPageBytes * kPageBytes;
}

Region::Region(const RegionOptions& options) {
  const std::uint64_t bytes = region_bytes(options);
  file_ = ::memfd_create("atoll-recording", MFD_CLOEXEC);
  void* mapped = MAP_FAILED;
  if (file_ >= 0 && ::ftruncate(file_, static_cast<off_t>(bytes)) == 0)
    mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (mapped == MAP_FAILED) {
    const int error = errno;
    if (file_ >= 0) ::close(file_);
    throw Error::system("the recording's memory", "reserving " + format_bytes(bytes), error,
                        "give less with --memory");
  }
  header_ = static_cast<record::Header*>(mapped);
  header_->bytes = bytes_ = bytes;
  header_->lines_until = bytes / 4 * 3;  // the rest is reserved for pages without lines
  header_->mode = options.mode;
  header_->owner = ::getpid();
  header_->page_share =
      static_cast<std::uint32_t>(std::clamp(options.page_share, 0.0, 1.0) * 65536.0);
  if (options.mode == record::Mode::counts && !options.by_task)
    header_->cache_lines = options.cache_bytes / kLineBytes;
  header_->epoch_ns = kFirstEpochNs;
  header_->timed = options.timed ? 1 : 0;
  header_->ring_words = options.ring_words;
  header_->by_task = options.by_task ? 1 : 0;
  header_->only_between_marks = options.only_between_marks ? 1 : 0;
  header_->iterations = options.iterations;
  header_->pause_reasons = (options.begin_recording ? 0U : record::kBeforeTime) |
                           (options.only_between_marks ? record::kOutsideMarks : 0U) |
                           (options.iterations != 0 ? record::kOutsideIterations : 0U);
  header_->used = sizeof(record::Header);
  if (options.mode == record::Mode::counts && !options.by_task) {
    header_->page_buckets = (header_->used + 63) / 64 * 64;
    header_->page_bucket_count = std::bit_floor(bytes / kBytesOfBucket);
    header_->used = header_->page_buckets + header_->page_bucket_count * sizeof(record::Offset);
  }
  header_->magic = record::kMagic;
}

Region::~Region() {
  ::munmap(header_, bytes_);
  ::close(file_);
}

std::string Region::path() const {
  // Padded with slashes to a constant length: the length of environment variables shifts a
  // program's stack, and results must not depend on the number of digits.
  return fmt::format("/proc/{:/<7}/fd/{}", ::getpid(), file_);
}

std::uint64_t Region::epoch_ns() const {
  return kFirstEpochNs << header_->epoch_generation.load();
}

void Region::tick(std::uint64_t now_ns) {
  if (epoch_began_ns_ == 0) epoch_began_ns_ = header_->started_ns = now_ns;
  if (now_ns < epoch_began_ns_ + epoch_ns()) return;
  epoch_began_ns_ += (now_ns - epoch_began_ns_) / epoch_ns() * epoch_ns();
  auto epoch = static_cast<std::uint32_t>((now_ns - header_->started_ns) / epoch_ns());
  if (epoch >= kEpochs) {
    while (epoch >= kEpochs) {
      header_->epoch_generation.fetch_add(1);
      epoch /= 2;
    }
  }
  header_->epoch.store(epoch);
  clear_slots();  // makes threads notice the new epoch
}

void Region::begin_recording() {
  header_->pause_reasons.fetch_and(~std::uint32_t{record::kBeforeTime});
  clear_slots();
}

void Region::give_up() {
  header_->pause_reasons.fetch_or(record::kReaderGone);
  clear_slots();
}

void Region::clear_slots() {
  const RegionView view(*header_, bytes_);
  view.for_each<record::ThreadRecord>(
      header_->threads.load(), [&](const record::ThreadRecord& thread, record::Offset) {
        const record::Offset state = thread.state.load(std::memory_order_acquire);
        if (state == 0 || view.at<record::ThreadState>(state) == nullptr) return;
        record::clear_slots(reinterpret_cast<record::ThreadState*>(
            reinterpret_cast<std::uint8_t*>(header_) + state));
      });
}

}  // namespace Atoll::recording
