// A port that takes one line at a time, in slots of equal length: what is between two caches. A
// request takes the first slot that is free when it comes. Requests don't come in the order of
// their times, as one may wait for an earlier load's data, and others go ahead of it meanwhile.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "simulate/ticks.hpp"

namespace Atoll::simulate {

class Port {
 public:
  /// `slot`: ticks that a line takes; 0: it is always free.
  void set_slot(Ticks slot) {
    if (slot == slot_) return;
    slot_ = slot;
    taken_ = {};
    first_ = 0;
  }
  /// A line comes at `at`, or when the port is free. Returns when; no later request is before
  /// `now`. What is further ahead than the slots that are kept finds the port free.
  Ticks take(Ticks now, Ticks at) {
    if (slot_ == 0) return at;
    forget(now / slot_);
    for (Ticks slot = at / slot_; slot < first_ + kSlots;) {
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
  /// Slots before `slot` are over: their words are used again.
  void forget(Ticks slot) {
    const Ticks from = slot / kBits * kBits;
    if (from - first_ >= kBits * kWords) {
      taken_ = {};
      first_ = from;
    }
    for (; first_ < from; first_ += kBits) taken_[word_of(first_)] = 0;
  }

  Ticks slot_ = 0;
  Ticks first_ = 0;  ///< a multiple of kBits: the first slot that is kept
  std::array<std::uint64_t, kWords> taken_{};
};

}  // namespace Atoll::simulate
