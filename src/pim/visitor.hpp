// What pim keeps for each thread: which bank it is inside of, and what it asked for last. The
// memory is never given back, only handed to the next thread, so that others may look at it at any
// time.
#pragma once

#include <atomic>
#include <cstdint>

#include "atoll/pim/shape.hpp"

namespace Atoll::pim {

struct alignas(64) Visitor {
  std::atomic<const void*> inside{nullptr};  ///< the lock that it is in by bias

  // The last request to the last device, and the bank that served it: most often the next one too.
  std::uint64_t device = 0;
  Request request = Request::raw(0, 0);
  Extent extent;
  std::uint32_t slot = 0;  ///< Bank::slot_of(extent)
  std::uint32_t bank = 0;

  std::uint32_t number = 0;  ///< dense: live threads have small numbers

  /// This thread's own.
  [[nodiscard]] static Visitor& current() { return current_ != nullptr ? *current_ : claim(); }
  [[nodiscard]] static Visitor* current_if_any() { return current_; }

 private:
  static Visitor& claim();
  static void leave(void* visitor);

  [[gnu::tls_model("initial-exec")]] static thread_local constinit Visitor* current_;

  std::atomic<bool> claimed_{false};
  std::atomic<Visitor*> next_{nullptr};  // of all visitors ever made
};

}  // namespace Atoll::pim
