// The queue: loops that are deferred until they run as a chain.
#pragma once

#include <span>
#include <vector>

#include "stencil/plan_cache.hpp"
#include "stencil/queued.hpp"

namespace Atoll::stencil {

/// The queued loops. While they equal the beginning of an expected chain, the queue uses the loops
/// stored in that chain and writes only bodies that differ: other threads have these cache lines,
/// and writing them would take several times as long.
class LoopQueue {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::span<const Queued> all() const {
    return {expected_ != nullptr ? expected_->queue().data() : own_.data(), size_};
  }
  /// The chain that begins with the queued loops, or null.
  [[nodiscard]] CachedChain* expected() const { return expected_; }

  /// The next loop of the expected chain, or null.
  [[nodiscard]] Queued* next() const {
    if (expected_ == nullptr || size_ >= expected_->queue().size()) return nullptr;
    return &expected_->queue()[size_];
  }
  /// Returns next() if it equals `loop`. Otherwise returns null and stops expecting the chain.
  /// Loops of a chain were checked when they were first queued.
  [[nodiscard]] Queued* known(const DeclaredLoop& loop);
  /// Adds the result of next() or known().
  detail::BodyStorage add(Queued& known);
  /// Adds a copy of a loop.
  detail::BodyStorage add(const DeclaredLoop& loop);
  /// Drops all loops and the expected chain.
  void clear();
  void expect(CachedChain* chain) { expected_ = chain; }

 private:
  void expect_nothing();

  CachedChain* expected_ = nullptr;
  std::size_t size_ = 0;
  std::vector<Queued> own_;  ///< used without an expected chain
  Arena arena_;              ///< declarations and bodies of own_
  bool any_to_destroy_ = false;
};

inline Queued* LoopQueue::known(const DeclaredLoop& loop) {
  Queued* const expected = next();
  if (expected != nullptr && same_loop(*expected->loop, loop)) return expected;
  expect_nothing();
  return nullptr;
}

inline detail::BodyStorage LoopQueue::add(Queued& known) {
  // Each step accesses all fields, which evicts the data of the next loops from the near caches.
  // They are prefetched here in the function body, because g++ drops calls of functions that only
  // prefetch.
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
