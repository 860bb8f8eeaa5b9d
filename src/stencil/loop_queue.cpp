// The queue of loops.
#include "stencil/loop_queue.hpp"

namespace Atoll::stencil {

detail::BodyStorage LoopQueue::add(const DeclaredLoop& loop) {
  expect_nothing();
  const DeclaredLoop* const kept = copy_to_arena(arena_, loop);
  void* const body = arena_.allocate(loop.code->bytes, loop.code->alignment);
  own_.push_back({kept, body, true});
  ++size_;
  any_to_destroy_ = any_to_destroy_ || loop.code->destroy != nullptr;
  return {body, false};
}

/// Switches to the queue's own list; loops that are queued already remain in the chain's storage.
void LoopQueue::expect_nothing() {
  if (expected_ == nullptr) return;
  const std::span<const Queued> waiting = all();
  own_.assign(waiting.begin(), waiting.end());
  expected_ = nullptr;
}

void LoopQueue::clear() {
  if (any_to_destroy_)
    for (const Queued& queued : all())
      if (queued.loop->code->destroy != nullptr) queued.loop->code->destroy(queued.body);
  any_to_destroy_ = false;
  size_ = 0;
  own_.clear();
  arena_.clear();
  expected_ = nullptr;
}

}  // namespace Atoll::stencil
