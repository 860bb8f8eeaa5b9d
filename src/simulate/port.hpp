// A port between two caches that passes one line at a time, in slots of equal length. A request
// takes the first free slot at or after its time. Requests may be added out of time order: one may
// wait for an earlier load's data while others overtake it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "simulate/ticks.hpp"

namespace Atoll::simulate {

class Port {
 public:
  /// `slot`: ticks per line; 0 means that the port is always free.
  void set_slot(Ticks slot) {
    if (slot == slot_) return;
    slot_ = slot;
    reciprocal_ = slot == 0 ? 0 : ~std::uint64_t{0} / static_cast<std::uint64_t>(slot);
    taken_ = {};
    keep_from(0);
  }
  /// Takes the first free slot at or after `at` and returns its time. No later request is before
  /// `now`. Beyond the kSlots slots that are kept, the port counts as free.
  Ticks take(Ticks now, Ticks at) {
    if (slot_ == 0) return at;
    if (now >= next_word_at_) forget(slot_at(now));
    for (Ticks slot = slot_at(at); slot < first_ + kSlots;) {
      const std::uint64_t free = ~taken_[word_of(slot)] >> slot % kBits;
      if (free == 0) {
        slot += kBits - slot % kBits;
        continue;
      }
      slot += std::countr_zero(free);
      if (slot >= first_ + kSlots) break;
      taken_[word_of(slot)] |= std::uint64_t{1} << slot % kBits;
      return slot * slot_ > at ? slot * slot_ : at;
    }
    return at;
  }

 private:
  static constexpr Ticks kBits = 64, kWords = 32, kSlots = kBits * (kWords - 1);
  static std::size_t word_of(Ticks slot) { return static_cast<std::size_t>(slot / kBits % kWords); }
  /// at / slot_, cheaper than the processor's division.
  [[nodiscard]] Ticks slot_at(Ticks at) const {
    const auto slot =
        static_cast<Ticks>(static_cast<UnsignedWide>(at) * reciprocal_ >> 64);  // or one too low
    return at - slot * slot_ >= slot_ ? slot + 1 : slot;
  }
  /// Recycles the words of slots before `slot`, which have passed.
  void forget(Ticks slot) {
    const Ticks from = slot / kBits * kBits;
    if (from - first_ >= kBits * kWords) {
      taken_ = {};
      first_ = from;
    }
    for (; first_ < from; first_ += kBits) taken_[word_of(first_)] = 0;
    keep_from(from);
  }
  void keep_from(Ticks slot) {
    first_ = slot;
    next_word_at_ = (slot + kBits) * slot_;
  }

  Ticks slot_ = 0;
  std::uint64_t reciprocal_ = 0;  ///< 2^64 / slot_, rounded down
  Ticks first_ = 0;               ///< first slot that is kept; a multiple of kBits
  Ticks next_word_at_ = 0;        ///< the time at which the word of first_ has passed
  std::array<std::uint64_t, kWords> taken_{};
};

}  // namespace Atoll::simulate
