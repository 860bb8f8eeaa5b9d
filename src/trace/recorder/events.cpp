// Events: what happens besides accesses.
#include <string.h>

#include "trace/recorder/inside.hpp"

namespace Atoll::trace::recorder {

void emit(ThreadState* thread, EventKind kind, const void* payload, std::size_t bytes,
          const void* more, std::size_t more_bytes) {
  see_fork();
  if (thread->record == nullptr) return;
  const Entered entered(thread);
  auto* event = entered ? static_cast<Event*>(take_room(thread, sizeof(Event) + bytes + more_bytes))
                        : nullptr;
  if (event == nullptr) {
    header()->lost_events.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  event->sequence = header()->sequence.fetch_add(1, std::memory_order_relaxed);
  event->time_ns = now_ns();
  event->kind = kind;
  event->bytes = static_cast<std::uint32_t>(bytes + more_bytes);
  auto* text = reinterpret_cast<std::uint8_t*>(event + 1);
  if (bytes != 0) ::memcpy(text, payload, bytes);
  if (more_bytes != 0) ::memcpy(text + bytes, more, more_bytes);
  event->previous = thread->record->events.load(std::memory_order_relaxed);
  thread->record->events.store(offset_of(event), std::memory_order_release);
}

}  // namespace Atoll::trace::recorder
