// Turns what the kernel's perf events write into their rings into values. It is pure code, so it
// can be tested on recorded and synthetic rings, also of hardware that isn't here.
// perf_event_open(2) has the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace Atoll::trace::sample {

enum class AccessKind : std::uint8_t { unknown, read, write };

/// One sample: a page fault, or an access that the hardware picked.
struct Sample {
  std::uint64_t ip = 0, time_ns = 0;
  std::uint64_t address = 0;  ///< 0: none
  std::int32_t pid = 0, tid = 0;
  std::uint32_t cpu = 0;
  std::uint64_t period = 1;  ///< events that it stands for
  AccessKind kind = AccessKind::unknown;
  friend bool operator==(const Sample&, const Sample&) = default;
};
/// A thread began or ended. If pid differs from parent_pid, a process did, too.
struct Task {
  bool begins = false;
  std::int32_t pid = 0, parent_pid = 0, tid = 0, parent_tid = 0;
  std::uint64_t time_ns = 0;
  friend bool operator==(const Task&, const Task&) = default;
};
/// A thread got a name; `executed`: because its process runs another program now.
struct Named {
  std::int32_t pid = 0, tid = 0;
  std::uint64_t time_ns = 0;
  bool executed = false;
  std::string name;
  friend bool operator==(const Named&, const Named&) = default;
};
/// A file was mapped.
struct Mapped {
  std::int32_t pid = 0, tid = 0;
  std::uint64_t time_ns = 0, address = 0, bytes = 0, file_offset = 0;
  std::string path;
  friend bool operator==(const Mapped&, const Mapped&) = default;
};
/// Records were lost: the ring had no room for them, or they could not be read.
struct Lost {
  std::uint64_t records = 0, time_ns = 0;
  friend bool operator==(const Lost&, const Lost&) = default;
};
/// The kernel stopped or resumed an event that came too often.
struct Throttled {
  bool stopped = false;
  std::uint64_t time_ns = 0;
  friend bool operator==(const Throttled&, const Throttled&) = default;
};
using Record = std::variant<Sample, Task, Named, Mapped, Lost, Throttled>;

[[nodiscard]] std::uint64_t time_of(const Record& record);

/// How an event was opened, which decides what its records hold.
struct RingLayout {
  std::uint64_t sample_type = 0;  ///< of kSampleBits
  bool amd_ibs = false;           ///< PERF_SAMPLE_RAW holds the registers of IBS op
};
/// PERF_SAMPLE_… bits that are understood: IP, TID, TIME, ADDR, CPU, PERIOD, RAW, WEIGHT, DATA_SRC.
extern const std::uint64_t kSampleBits;

/// Takes the records between two positions out of a ring. Contract: `data`'s size is a power of
/// two; `tail` <= `head` as the kernel counts, without end; attr.sample_id_all was set. Bytes that
/// make no sense, as in a ring that was overrun, end the reading: everything up to head is one
/// Lost.
class RingReader {
 public:
  RingReader(RingLayout layout, std::span<const std::byte> data, std::uint64_t tail,
             std::uint64_t head);
  /// Returns the next record of a known kind; nothing at the end.
  std::optional<Record> next();

 private:
  RingLayout layout_;
  std::span<const std::byte> data_;
  std::uint64_t at_, head_;
  std::vector<std::byte> copy_;  ///< of a record that wraps around the ring's end
};

}  // namespace Atoll::trace::sample
