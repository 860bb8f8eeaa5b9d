// The region that watched processes record into, as `atoll` holds it: it makes it, moves epochs on
// while the program runs, and reads it afterwards.
#pragma once

#include <cstdint>
#include <string>

#include "trace/recorder/region.hpp"

namespace Atoll::trace {

/// What is recorded, and in how much memory.
struct RegionOptions {
  std::uint64_t bytes = 0;  ///< at most; 0: a quarter of this computer's memory
  recorder::Mode mode = recorder::Mode::counts;
  std::uint64_t cache_bytes = 1 << 20;  ///< of a core's private cache; 0: misses aren't sampled
  double page_share = 1;                ///< of the pages, chosen by a hash
  bool only_between_marks = false;
  std::uint64_t iterations = 0;  ///< the first of the marked loop, and nothing else; 0: all
  bool begin_recording = true;   ///< else Region::begin_recording() does
};

/// How large a region is: what was asked for, or a quarter of this computer's memory.
[[nodiscard]] std::uint64_t region_bytes(const RegionOptions& options);

/// Memory that is there as long as this object is: a file without a name, that grows as it is used.
class Region {
 public:
  /// Throws Error (failed): no such memory.
  explicit Region(const RegionOptions& options);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  /// For $ATOLL_RECORDING; good for processes of this user while this one lives.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] recorder::Header& header() const { return *header_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// The next epoch begins. After 64, epochs become twice as long.
  void tick(std::uint64_t now_ns);
  [[nodiscard]] std::uint64_t epoch_ns() const;
  /// Where that was left for later; what marks hold back still is.
  void begin_recording();
  /// Nobody will read it: whoever waits for that goes on, nothing more is recorded.
  void give_up();

 private:
  void clear_slots();

  int file_ = -1;
  recorder::Header* header_ = nullptr;
  std::uint64_t bytes_ = 0;  ///< not the header's, which the program might overwrite
  std::uint64_t epoch_began_ns_ = 0;
};

}  // namespace Atoll::trace
