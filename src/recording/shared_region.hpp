// Region that watched processes record into, as owned by `atoll`. `atoll` creates it, advances
// epochs while the program runs, and reads it afterwards.
#pragma once

#include <cstdint>
#include <string>

#include "record/region.hpp"

namespace Atoll::recording {

/// Kind of recording and its limits.
struct RegionOptions {
  std::uint64_t bytes = 0;  ///< maximum size; 0: a quarter of this computer's memory
  record::Mode mode = record::Mode::counts;
  std::uint64_t cache_bytes = 1 << 20;  ///< size of a private cache; 0: misses are not sampled
  double page_share = 1;                ///< share of recorded pages, 0 to 1; a hash chooses them
  bool only_between_marks = false;
  std::uint64_t iterations = 0;  ///< iterations of the marked loop that are recorded; 0: all
  bool timed = false;            ///< streams include work, dependence, atomic accesses and waits
  std::uint32_t ring_words = 0;  ///< limit of unread words per thread; 0: the ring's size
  bool by_task = false;          ///< records lines used by tasks instead of counts
  bool begin_recording = true;   ///< if false, Region::begin_recording() starts it
};

/// Returns the size of a region with these options.
[[nodiscard]] std::uint64_t region_bytes(const RegionOptions& options);

/// Region in an unnamed file (memfd) that grows as it is used. It exists as long as this object.
class Region {
 public:
  /// Throws Error (failed) if the memory is not available.
  explicit Region(const RegionOptions& options);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  /// Returns the path for $ATOLL_RECORDING. It is valid for processes of this user while this
  /// object exists.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] record::Header& header() const { return *header_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Begins the next epoch if it is due. After 64 epochs, their length doubles.
  void tick(std::uint64_t now_ns);
  [[nodiscard]] std::uint64_t epoch_ns() const;
  /// Begins recording if RegionOptions::begin_recording was false. Marks may still suppress it.
  void begin_recording();
  /// Declares that the region is not read any more: threads that wait for the reader resume, and
  /// recording stops.
  void give_up();

 private:
  void clear_slots();

  int file_ = -1;
  record::Header* header_ = nullptr;
  std::uint64_t bytes_ = 0;  ///< a copy, as the program might overwrite the header's
  std::uint64_t epoch_began_ns_ = 0;
};

}  // namespace Atoll::recording
