// The queue: loops that wait until they run as a chain.
#pragma once

#include <span>
#include <vector>

#include "stencil/plan_cache.hpp"
#include "stencil/queued.hpp"

namespace Atoll::stencil {

/// Loops that wait. As long as they are the beginning of an expected chain, they are those that it
/// keeps, and nothing is written but what kernels have captured, if it differs: other threads have
/// read these lines, so that writing them would take several times as long.
class WaitingLoops {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::span<const Queued> all() const {
    return {expected_ != nullptr ? expected_->queue().data() : own_.data(), size_};
  }
  /// The chain that they are the beginning of, or null.
  [[nodiscard]] KnownChain* expected() const { return expected_; }

  /// The loop that the expected chain has next, or null.
  [[nodiscard]] Queued* next() const {
    if (expected_ == nullptr || size_ >= expected_->queue().size()) return nullptr;
    return &expected_->queue()[size_];
  }
  /// The same, if it is like this one; null otherwise, and then that chain isn't expected any more.
  /// What is kept was also checked.
  [[nodiscard]] Queued* known(const DeclaredLoop& loop);
  /// Adds what next() or known() has returned.
  detail::BodyPlace add(Queued& known);
  /// Adds a copy of another loop.
  detail::BodyPlace add(const DeclaredLoop& loop);
  /// Drops all, and expects a chain, or none.
  void clear();
  void expect(KnownChain* chain) { expected_ = chain; }

 private:
  void expect_nothing();

  KnownChain* expected_ = nullptr;
  std::size_t size_ = 0;
  std::vector<Queued> own_;  ///< without an expected chain
  Arena arena_;              ///< their declarations and bodies
  bool any_to_destroy_ = false;
};

inline Queued* WaitingLoops::known(const DeclaredLoop& loop) {
  Queued* const expected = next();
  if (expected != nullptr && same_loop(*expected->loop, loop)) return expected;
  expect_nothing();
  return nullptr;
}

inline detail::BodyPlace WaitingLoops::add(Queued& known) {
  // What the next loops will be compared with has left the processor's nearer caches, as each step
  // touches all fields. It is fetched here, because g++ leaves out calls of functions that only
  // fetch.
  constexpr std::size_t kFar = 8, kNear = 4;
  const std::span<const Queued> queue = expected_->queue();
  if (size_ + kFar < queue.size()) {
    const Queued &far = queue[size_ + kFar], &near = queue[size_ + kNear];
    __builtin_prefetch(far.loop);
    __builtin_prefetch(reinterpret_cast<const char*>(far.loop) + 64);
    __builtin_prefetch(reinterpret_cast<const char*>(far.loop) + 128);
    __builtin_prefetch(far.body);
    __builtin_prefetch(near.loop->first_field);
  }
  ++size_;
  any_to_destroy_ = any_to_destroy_ || known.loop->code->destroy != nullptr;
  if (known.written) return {known.body, true};
  known.written = true;
  return {known.body, false};
}

}  // namespace Atoll::stencil
