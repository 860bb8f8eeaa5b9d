// A thread claims the first visitor that no live thread holds. Visitors form a list that only
// grows, with one flag each.
#include "pim/visitor.hpp"

#include <pthread.h>

#include <optional>

namespace Atoll::pim {

thread_local constinit Visitor* Visitor::current_ = nullptr;

Visitor& Visitor::claim() {
  static constinit Visitor first;
  // Uses the destructor of a pthread key and not of a thread_local: registering the latter would
  // need an allocation in each new thread. If no key is left, visitors aren't reused by later
  // threads.
  static const std::optional<pthread_key_t> key = []() -> std::optional<pthread_key_t> {
    pthread_key_t made{};
    if (pthread_key_create(&made, &Visitor::leave) != 0) return {};
    return made;
  }();
  Visitor* mine = &first;
  while (mine->claimed_.load(std::memory_order_relaxed) ||
         mine->claimed_.exchange(true, std::memory_order_acquire)) {
    Visitor* next = mine->next_.load(std::memory_order_acquire);
    if (next == nullptr) {
      auto* made = new Visitor;
      made->number = mine->number + 1;
      if (mine->next_.compare_exchange_strong(next, made, std::memory_order_acq_rel))
        next = made;
      else
        delete made;
    }
    mine = next;
  }
  if (key) pthread_setspecific(*key, mine);
  current_ = mine;
  return *mine;
}

void Visitor::leave(void* visitor) {
  current_ = nullptr;
  static_cast<Visitor*>(visitor)->claimed_.store(false, std::memory_order_release);
}

}  // namespace Atoll::pim
