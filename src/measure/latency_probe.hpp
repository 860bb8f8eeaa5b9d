// Chases and gathers in working sets of any size, in pages of one size, by the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace Atoll::measure {

/// The least of at least three trials, which go on for `seconds`. `once` returns its own time.
[[nodiscard]] double least_of(double seconds, const std::function<double()>& once);

class LatencyProbe {
 public:
  /// Takes memory, in transparent huge pages or in pages of 4 KiB, and touches all of it. Throws
  /// Error (failed) if there is none.
  LatencyProbe(std::uint64_t bytes, bool huge, double seconds_a_reading);
  ~LatencyProbe();
  LatencyProbe(const LatencyProbe&) = delete;
  LatencyProbe& operator=(const LatencyProbe&) = delete;

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// True if all of it lies in pages of the size that was asked for.
  [[nodiscard]] bool has_its_pages() const;
  /// Nanoseconds of a load that waits for the one before: each line of the first `bytes` once, in
  /// an order that looks random.
  [[nodiscard]] double chase(std::uint64_t bytes);
  /// The same in the order of the last chase, which goes on.
  [[nodiscard]] double chase_again() { return time_chain(1); }
  /// The same of one line of each of so many pieces of 4 KiB.
  [[nodiscard]] double page_chase(std::uint64_t pages);
  /// Nanoseconds of a load of a random line of the first `bytes`, a power of two, which waits for
  /// nothing.
  [[nodiscard]] double gather(std::uint64_t bytes);
  /// Nanoseconds of a load of the next line but `stride`, an odd number, in the first `bytes`, a
  /// power of two, round and round: loads wait for nothing, and each line comes as often as the
  /// others.
  [[nodiscard]] double sweep(std::uint64_t bytes, std::uint64_t stride);
  /// Nanoseconds of a load of the next line, in pieces of 4 KiB of all of it: one piece after the
  /// other, or in an order that looks random.
  [[nodiscard]] double stream(bool pieces_at_random);
  /// The same of so many streams that take turns, each in a part of its own.
  [[nodiscard]] double streams(std::uint64_t count);
  /// Nanoseconds of two loads that don't wait for each other, in all of it, with so many additions
  /// before each. At most kMostBetween; 0 where this architecture has no such loop.
  [[nodiscard]] double pair(int instructions_between);
  static constexpr int kBetween[] = {16, 64, 128, 192, 256, 320, 384, 448, 512, 640, 768};

 private:
  [[nodiscard]] double time_chain(std::uint64_t links);
  std::uint64_t bytes_;
  bool huge_;
  double seconds_;
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::uint64_t piece_ = 0;  ///< that the next stream begins with
  std::byte* data_ = nullptr;
};

/// Nanoseconds of a first touch of a page, where the system gives pages of that size; else 0.
[[nodiscard]] double first_touch(bool huge);

}  // namespace Atoll::measure
