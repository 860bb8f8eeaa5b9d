// Parser of perf events' rings. It depends on no kernel or hardware, so it can be tested with
// recorded and synthetic rings, also of hardware that the test machine lacks. perf_event_open(2)
// describes the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace Atoll::recording::sample {

enum class AccessKind : std::uint8_t { unknown, read, write };

/// Sample: a page fault, or an access that the hardware selected.
struct Sample {
  std::uint64_t ip = 0, time_ns = 0;
  std::uint64_t address = 0;  ///< 0: none
  std::int32_t pid = 0, tid = 0;
  std::uint32_t cpu = 0;
  std::uint64_t period = 1;  ///< number of events that the sample represents
  AccessKind kind = AccessKind::unknown;
  friend bool operator==(const Sample&, const Sample&) = default;
};
/// Begin or end of a thread. If pid differs from parent_pid, also of a process.
struct Task {
  bool begins = false;
  std::int32_t pid = 0, parent_pid = 0, tid = 0, parent_tid = 0;
  std::uint64_t time_ns = 0;
  friend bool operator==(const Task&, const Task&) = default;
};
/// New name of a thread; `executed`: the name was set by exec().
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
/// Records that were lost: the ring had no room for them, or they could not be parsed.
struct Lost {
  std::uint64_t records = 0, time_ns = 0;
  friend bool operator==(const Lost&, const Lost&) = default;
};
/// The kernel stopped or resumed an event whose rate was too high.
struct Throttled {
  bool stopped = false;
  std::uint64_t time_ns = 0;
  friend bool operator==(const Throttled&, const Throttled&) = default;
};
using Record = std::variant<Sample, Task, Named, Mapped, Lost, Throttled>;

[[nodiscard]] std::uint64_t time_of(const Record& record);

/// Options that an event was opened with. They determine the contents of its records.
struct RingLayout {
  std::uint64_t sample_type = 0;  ///< subset of kSampleBits
  bool amd_ibs = false;           ///< PERF_SAMPLE_RAW has the registers of IBS op
};
/// Supported PERF_SAMPLE_… bits: IP, TID, TIME, ADDR, CPU, PERIOD, RAW, WEIGHT, DATA_SRC.
extern const std::uint64_t kSampleBits;

/// Parses the records between two positions of a ring. Contract: `data`'s size is a power of two;
/// `tail` <= `head`, both as the kernel's counters, which do not wrap around; attr.sample_id_all
/// was set. Invalid bytes, as in a ring that was overrun, end the parsing: everything up to `head`
/// becomes one Lost.
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
  std::vector<std::byte> copy_;  ///< copy of a record that wraps around the ring's end
};

}  // namespace Atoll::recording::sample
