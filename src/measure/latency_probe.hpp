// Measures dependent and independent loads in working sets of any size, in pages of one size, on
// the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace Atoll::measure {

/// Repeats `once` for `seconds` and at least three times. Returns the least of its results.
[[nodiscard]] double least_of(double seconds, const std::function<double()>& once);

class LatencyProbe {
 public:
  /// Allocates memory in transparent huge pages or in pages of 4 KiB, and touches all of it. Throws
  /// Error (failed) if there isn't enough.
  LatencyProbe(std::uint64_t bytes, bool huge, double seconds_a_reading);
  ~LatencyProbe();
  LatencyProbe(const LatencyProbe&) = delete;
  LatencyProbe& operator=(const LatencyProbe&) = delete;

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// True if all pages have the requested size.
  [[nodiscard]] bool has_its_pages() const;
  /// Returns the time, in nanoseconds, of a dependent load: each line of the first `bytes` once, in
  /// pseudorandom order.
  [[nodiscard]] double chase(std::uint64_t bytes);
  /// Continues the last chase, with its order.
  [[nodiscard]] double chase_again() { return time_chain(1); }
  /// As chase(), with one line in each of `pages` pieces of 4 KiB.
  [[nodiscard]] double page_chase(std::uint64_t pages);
  /// Returns the time, in nanoseconds, of an independent load of a random line in the first
  /// `bytes`, a power of two.
  [[nodiscard]] double gather(std::uint64_t bytes);
  /// Returns the time, in nanoseconds, of an independent load in cyclic passes with a stride of
  /// `stride` lines, which is odd. `bytes` is a power of two: the size of the working set. Each
  /// line is loaded equally often.
  [[nodiscard]] double sweep(std::uint64_t bytes, std::uint64_t stride);
  /// Returns the time, in nanoseconds, of a load of the next line, in pieces of 4 KiB of the whole
  /// memory: consecutive, or in pseudorandom order.
  [[nodiscard]] double stream(bool pieces_at_random);
  /// As stream(), with `count` interleaved streams, each in its own part of the memory.
  [[nodiscard]] double streams(std::uint64_t count);
  /// Returns the time, in nanoseconds, of two independent loads in the whole memory, with
  /// `instructions_between` additions before each, which is one of kBetween. 0 if this architecture
  /// has no such loop.
  [[nodiscard]] double pair(int instructions_between);
  static constexpr int kBetween[] = {16, 64, 128, 192, 256, 320, 384, 448, 512, 640, 768};

 private:
  [[nodiscard]] double time_chain(std::uint64_t links);
  std::uint64_t bytes_;
  bool huge_;
  double seconds_;
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::uint64_t piece_ = 0;  ///< the last one that stream() read
  std::byte* data_ = nullptr;
};

/// Returns the time, in nanoseconds, of the first touch of a page; 0 if the system maps other page
/// sizes.
[[nodiscard]] double first_touch(bool huge);

}  // namespace Atoll::measure
