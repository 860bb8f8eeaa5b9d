// The region that watched processes record into, as `atoll` has it. `atoll` makes it, moves epochs
// on while the program runs, and reads it afterwards.
#pragma once

#include <cstdint>
#include <string>

#include "trace/recorder/region.hpp"

namespace Atoll::trace {

/// What is recorded, and in how much memory.
struct RegionOptions {
  std::uint64_t bytes = 0;  ///< at most this; 0: a quarter of this computer's memory
  recorder::Mode mode = recorder::Mode::counts;
  std::uint64_t cache_bytes = 1 << 20;  ///< of a core's private cache; 0: misses aren't sampled
  double page_share = 1;                ///< the share of the pages that a hash chooses
  bool only_between_marks = false;
  std::uint64_t iterations = 0;  ///< only the first ones of the marked loop; 0: all is recorded
  bool timed = false;            ///< of a stream: work, dependence, atomic accesses, waits, too
  std::uint32_t ring_words = 0;  ///< so many words of a thread at most wait to be read; 0: all
  bool by_task = false;          ///< lines that tasks use are told, instead of counts
  bool begin_recording = true;   ///< false: Region::begin_recording() begins it
};

/// Returns how large a region is: as large as asked for, or a quarter of this computer's memory.
[[nodiscard]] std::uint64_t region_bytes(const RegionOptions& options);

/// Memory that exists as long as this object: a file without a name, which grows as it is used.
class Region {
 public:
  /// Throws Error (failed) if there is no such memory.
  explicit Region(const RegionOptions& options);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  /// Returns the path for $ATOLL_RECORDING. It is valid for processes of this user while this
  /// object lives.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] recorder::Header& header() const { return *header_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Begins the next epoch. After 64, epochs become twice as long.
  void tick(std::uint64_t now_ns);
  [[nodiscard]] std::uint64_t epoch_ns() const;
  /// Begins recording, if that was left for later. Marks can still suppress it.
  void begin_recording();
  /// Nobody will read the region: whoever waits for that continues, and nothing more is recorded.
  void give_up();

 private:
  void clear_slots();

  int file_ = -1;
  recorder::Header* header_ = nullptr;
  std::uint64_t bytes_ = 0;  ///< not the header's, which the program might overwrite
  std::uint64_t epoch_began_ns_ = 0;
};

}  // namespace Atoll::trace
