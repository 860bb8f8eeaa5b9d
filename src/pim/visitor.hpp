// State of pim for each thread: the bank that it is inside, and its last request. The memory is
// never freed but reused by later threads, so that other threads may read it at any time.
#pragma once

#include <atomic>
#include <cstdint>

#include "atoll/pim/shape.hpp"

namespace Atoll::pim {

struct alignas(64) Visitor {
  std::atomic<const void*> inside{nullptr};  ///< the lock that it entered by its bias

  // The last request to the last device, and the bank that served it: usually the next request has
  // the same values.
  std::uint64_t device = 0;
  Request request = Request::raw(0, 0);
  Extent extent;
  std::uint32_t slot = 0;  ///< Bank::slot_of(extent)
  std::uint32_t bank = 0;

  std::uint32_t number = 0;  ///< dense: live threads have small numbers

  [[nodiscard]] static Visitor& current() { return current_ != nullptr ? *current_ : claim(); }
  [[nodiscard]] static Visitor* current_if_any() { return current_; }

 private:
  static Visitor& claim();
  static void leave(void* visitor);

  [[gnu::tls_model("initial-exec")]] static thread_local constinit Visitor* current_;

  std::atomic<bool> claimed_{false};
  std::atomic<Visitor*> next_{nullptr};  // in the list of all visitors ever made
};

}  // namespace Atoll::pim
