// Records events, that is, anything but accesses.
#include <string.h>

#include "record/inside.hpp"

namespace Atoll::record {

namespace {

/// Appends the event to the thread's stream. Stacks, the brk heap and modules become mapped memory.
void append_to_stream(ThreadState* thread, const Event& event) {
  const auto* payload = reinterpret_cast<const std::uint64_t*>(&event + 1);
  const auto has = [&](std::size_t words) { return event.bytes >= words * sizeof *payload; };
  const auto append_memory = [&](RecordKind kind) {
    if (has(2)) append_event(thread, kind, event.sequence, payload[0], payload[1]);
  };
  switch (event.kind) {
    case EventKind::allocated:
    case EventKind::slab:
      return append_memory(RecordKind::allocated);
    case EventKind::freed:
      return append_memory(RecordKind::freed);
    case EventKind::mapped:
    case EventKind::stack:
    case EventKind::brk:
      return append_memory(RecordKind::mapped);
    case EventKind::module:  // bias, begin, end
      if (has(3))
        append_event(thread, RecordKind::mapped, event.sequence, payload[1],
                     payload[2] - payload[1]);
      return;
    case EventKind::unmapped:
      return append_memory(RecordKind::unmapped);
    case EventKind::joined:
      return append_event(thread, RecordKind::thread_joined, event.sequence);
    case EventKind::mark:
      if (!has(1)) return;
      switch (static_cast<Mark>(payload[0])) {
        case Mark::begin:
          return append_event(thread, RecordKind::mark_begin, event.sequence);
        case Mark::end:
          return append_event(thread, RecordKind::mark_end, event.sequence);
        case Mark::iteration:
          return append_event(thread, RecordKind::mark_iteration, event.sequence);
      }
      return;
    default:
      return;
  }
}

}  // namespace

void emit(ThreadState* thread, EventKind kind, const void* payload, std::size_t bytes,
          const void* more, std::size_t more_bytes) {
  detect_fork();
  if (thread->record == nullptr) return;
  const Entered entered(thread);
  auto* event =
      entered ? static_cast<Event*>(allocate_in_room(thread, sizeof(Event) + bytes + more_bytes))
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
  if (is_stream()) append_to_stream(thread, *event);
}

}  // namespace Atoll::record
