#include "recording/sample/ring.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace Atoll::recording::sample {
namespace {

/// Reads values from a record. Past its end, it returns zeros and sets `short_`.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T take() {
    T value{};
    if (bytes_.size() < sizeof value) {
      short_ = true;
      bytes_ = {};
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }
  std::span<const std::byte> take(std::size_t bytes) {
    if (bytes_.size() < bytes) {
      short_ = true;
      bytes_ = {};
      return {};
    }
    const auto taken = bytes_.first(bytes);
    bytes_ = bytes_.subspan(bytes);
    return taken;
  }
  /// Returns text that is terminated by a zero or by the record's end.
  std::string text() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    bytes_ = {};
    return std::string(rest.substr(0, rest.find('\0')));
  }
  [[nodiscard]] bool complete() const { return !short_; }

 private:
  std::span<const std::byte> bytes_;
  bool short_ = false;
};

/// Last fields of every record except samples (attr.sample_id_all).
struct Trailer {
  std::uint64_t time_ns = 0;
  std::size_t bytes = 0;
};

Trailer trailer_of(const RingLayout& layout, std::span<const std::byte> body) {
  Trailer trailer;
  for (const auto bit : {PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_CPU})
    if ((layout.sample_type & bit) != 0) trailer.bytes += 8;
  if (trailer.bytes > body.size() || (layout.sample_type & PERF_SAMPLE_TIME) == 0)
    return {0, std::min(trailer.bytes, body.size())};
  Cursor cursor(body.last(trailer.bytes));
  if ((layout.sample_type & PERF_SAMPLE_TID) != 0) cursor.take<std::uint64_t>();
  trailer.time_ns = cursor.take<std::uint64_t>();
  return trailer;
}

/// Reads the registers of AMD's instruction-based sampling, in the layout of kernels before 6.2: a
/// word of capabilities, then IbsOpCtl, IbsOpRip, IbsOpData, -2, -3, the linear address, …
void read_ibs(std::span<const std::byte> raw, Sample& sample) {
  Cursor cursor(raw);
  cursor.take<std::uint32_t>();
  for (int i = 0; i < 4; ++i) cursor.take<std::uint64_t>();
  const auto data3 = cursor.take<std::uint64_t>();
  const auto address = cursor.take<std::uint64_t>();
  constexpr std::uint64_t kLoad = 1, kStore = 2, kAddressValid = std::uint64_t{1} << 17;
  if (!cursor.complete() || (data3 & kAddressValid) == 0) return;
  sample.address = address;
  if ((data3 & kStore) != 0)
    sample.kind = AccessKind::write;
  else if ((data3 & kLoad) != 0)
    sample.kind = AccessKind::read;
}

std::optional<Record> read_sample(const RingLayout& layout, std::span<const std::byte> body) {
  Sample sample;
  Cursor cursor(body);
  const auto has = [&](std::uint64_t bit) { return (layout.sample_type & bit) != 0; };
  if (has(PERF_SAMPLE_IP)) sample.ip = cursor.take<std::uint64_t>();
  if (has(PERF_SAMPLE_TID)) {
    sample.pid = cursor.take<std::int32_t>();
    sample.tid = cursor.take<std::int32_t>();
  }
  if (has(PERF_SAMPLE_TIME)) sample.time_ns = cursor.take<std::uint64_t>();
  if (has(PERF_SAMPLE_ADDR)) sample.address = cursor.take<std::uint64_t>();
  if (has(PERF_SAMPLE_CPU)) {
    sample.cpu = cursor.take<std::uint32_t>();
    cursor.take<std::uint32_t>();
  }
  if (has(PERF_SAMPLE_PERIOD)) sample.period = cursor.take<std::uint64_t>();
  if (has(PERF_SAMPLE_RAW)) {
    const auto raw = cursor.take(cursor.take<std::uint32_t>());
    if (layout.amd_ibs) read_ibs(raw, sample);
  }
  if (has(PERF_SAMPLE_WEIGHT)) cursor.take<std::uint64_t>();
  if (has(PERF_SAMPLE_DATA_SRC)) {
    const auto source = cursor.take<std::uint64_t>();
    if ((source & PERF_MEM_OP_STORE) != 0)
      sample.kind = AccessKind::write;
    else if ((source & PERF_MEM_OP_LOAD) != 0)
      sample.kind = AccessKind::read;
  }
  if (!cursor.complete()) return std::nullopt;
  return sample;
}

/// Returns the record; nothing if its body is too short for its type.
std::optional<Record> read_record(const RingLayout& layout, const perf_event_header& header,
                                  std::span<const std::byte> body) {
  if (header.type == PERF_RECORD_SAMPLE) return read_sample(layout, body);
  const Trailer trailer = trailer_of(layout, body);
  Cursor cursor(body.first(body.size() - trailer.bytes));
  Record record;
  switch (header.type) {
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT: {
      Task task{.begins = header.type == PERF_RECORD_FORK};
      task.pid = cursor.take<std::int32_t>();
      task.parent_pid = cursor.take<std::int32_t>();
      task.tid = cursor.take<std::int32_t>();
      task.parent_tid = cursor.take<std::int32_t>();
      task.time_ns = cursor.take<std::uint64_t>();
      record = task;
      break;
    }
    case PERF_RECORD_COMM: {
      Named named{.time_ns = trailer.time_ns};
      named.executed = (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
      named.pid = cursor.take<std::int32_t>();
      named.tid = cursor.take<std::int32_t>();
      named.name = cursor.text();
      record = std::move(named);
      break;
    }
    case PERF_RECORD_MMAP2: {
      Mapped mapped{.time_ns = trailer.time_ns};
      mapped.pid = cursor.take<std::int32_t>();
      mapped.tid = cursor.take<std::int32_t>();
      mapped.address = cursor.take<std::uint64_t>();
      mapped.bytes = cursor.take<std::uint64_t>();
      mapped.file_offset = cursor.take<std::uint64_t>();
      cursor.take(32);  // device and inode or build id, protection, flags
      mapped.path = cursor.text();
      record = std::move(mapped);
      break;
    }
    case PERF_RECORD_LOST:
      cursor.take<std::uint64_t>();  // the event's id
      record = Lost{cursor.take<std::uint64_t>(), trailer.time_ns};
      break;
    case PERF_RECORD_LOST_SAMPLES:
      record = Lost{cursor.take<std::uint64_t>(), trailer.time_ns};
      break;
    case PERF_RECORD_THROTTLE:
    case PERF_RECORD_UNTHROTTLE:
      record = Throttled{header.type == PERF_RECORD_THROTTLE, cursor.take<std::uint64_t>()};
      break;
    default:
      break;
  }
  if (!cursor.complete()) return std::nullopt;
  return record;
}

bool is_known(std::uint32_t type) {
  switch (type) {
    case PERF_RECORD_SAMPLE:
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
    case PERF_RECORD_COMM:
    case PERF_RECORD_MMAP2:
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
    case PERF_RECORD_THROTTLE:
    case PERF_RECORD_UNTHROTTLE:
      return true;
    default:
      return false;
  }
}

}  // namespace

const std::uint64_t kSampleBits = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                  PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
                                  PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;

std::uint64_t time_of(const Record& record) {
  return std::visit([](const auto& one) { return one.time_ns; }, record);
}

RingReader::RingReader(RingLayout layout, std::span<const std::byte> data, std::uint64_t tail,
                       std::uint64_t head)
    : layout_(layout), data_(data), at_(tail), head_(head) {}

std::optional<Record> RingReader::next() {
  const std::uint64_t mask = data_.size() - 1;
  while (at_ < head_) {
    const std::uint64_t left = head_ - at_;
    perf_event_header header{};
    // Records and rings begin and end at multiples of 8, so a header never wraps around.
    if (at_ % 8 == 0 && left >= sizeof header && left <= data_.size())
      std::memcpy(&header, data_.data() + (at_ & mask), sizeof header);
    if (header.size < sizeof header || header.size % 8 != 0 || header.size > left) {
      at_ = head_;
      return Lost{1, 0};
    }
    const std::size_t begin = at_ & mask;
    const std::size_t before_end = std::min<std::size_t>(header.size, data_.size() - begin);
    auto bytes = data_.subspan(begin, before_end);
    if (before_end < header.size) {
      copy_.assign(bytes.begin(), bytes.end());
      copy_.insert(copy_.end(), data_.begin(),
                   data_.begin() + static_cast<std::ptrdiff_t>(header.size - before_end));
      bytes = copy_;
    }
    at_ += header.size;
    if (!is_known(header.type)) continue;
    if (auto record = read_record(layout_, header, bytes.subspan(sizeof header))) return record;
    return Lost{1, 0};
  }
  return std::nullopt;
}

}  // namespace Atoll::recording::sample
