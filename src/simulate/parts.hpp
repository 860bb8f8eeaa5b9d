// Categories of time: fixed ones, then each memory's controller, each direction of each link, and
// the cache in front of each memory if any memory has one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "simulate/ticks.hpp"

namespace Atoll::simulate {

using Part = std::uint16_t;

inline constexpr Part kCompute = 0, kL1 = 1, kL2 = 2, kL3 = 3, kWalks = 4, kLocal = 5, kRemote = 6,
                      kCoherence = 7, kFaults = 8, kWaiting = 9, kMemorySide = 10,
                      kFirstController = 11;

/// Components of an access's latency: ticks by part, unsorted.
struct LatencyBreakdown {
  static constexpr std::size_t kMax = 8;
  struct Share {
    Part part;
    Ticks ticks;
  };
  std::array<Share, kMax> shares;
  std::uint32_t count = 0;
  std::uint32_t object = 0;

  LatencyBreakdown() = default;
  LatencyBreakdown(const LatencyBreakdown& other) { *this = other; }
  /// Copies only the used shares: most accesses have one or two.
  LatencyBreakdown& operator=(const LatencyBreakdown& other) {
    count = other.count;
    object = other.object;
    std::copy_n(other.shares.begin(), count, shares.begin());
    return *this;
  }
  ~LatencyBreakdown() = default;

  /// The part with the most ticks.
  [[nodiscard]] Part main_part() const {
    const auto end = shares.begin() + count;
    const auto most = std::max_element(
        shares.begin(), end, [](const Share& a, const Share& b) { return a.ticks < b.ticks; });
    return most == end ? kL2 : most->part;
  }
  void add(Part part, Ticks ticks) {
    if (ticks == 0) return;
    for (std::uint32_t i = 0; i < count; ++i)
      if (shares[i].part == part) {
        shares[i].ticks += ticks;
        return;
      }
    // If all shares are used (routes of many hops), adds to the last one.
    if (count < kMax) shares[count++] = {part, 0};
    shares[count - 1].ticks += ticks;
  }
};

/// Ticks by part.
class Stack {
 public:
  explicit Stack(std::size_t parts) : ticks_(parts) {}
  void add(Part part, Ticks ticks) { ticks_[part] += ticks; }
  /// Divides `ticks` in proportion to the shares of `blame`. The parts add up to `ticks` exactly.
  void add(const LatencyBreakdown& blame, Ticks ticks) {
    Ticks all = 0, given = 0;
    for (std::uint32_t i = 0; i < blame.count; ++i) all += blame.shares[i].ticks;
    if (all == 0) return add(kCompute, ticks);
    for (std::uint32_t i = 0; i + 1 < blame.count; ++i) {
      const Ticks share = share_of(ticks, blame.shares[i].ticks, all);
      add(blame.shares[i].part, share);
      given += share;
    }
    add(blame.shares[blame.count - 1].part, ticks - given);
  }
  void add(const Stack& other) {
    for (std::size_t i = 0; i < ticks_.size(); ++i) ticks_[i] += other.ticks_[i];
  }
  /// ticks * part / all. Avoids the slow 128-bit division if possible.
  [[nodiscard]] static Ticks share_of(Ticks ticks, Ticks part, Ticks all) {
    if (Ticks product = 0; !__builtin_mul_overflow(ticks, part, &product)) return product / all;
    return static_cast<Ticks>(static_cast<Wide>(ticks) * part / all);
  }
  [[nodiscard]] Ticks sum() const {
    Ticks all = 0;
    for (const Ticks ticks : ticks_) all += ticks;
    return all;
  }
  [[nodiscard]] Ticks operator[](std::size_t part) const { return ticks_[part]; }
  [[nodiscard]] std::size_t parts() const { return ticks_.size(); }

 private:
  std::vector<Ticks> ticks_;
};

}  // namespace Atoll::simulate
