#include "recording/streams/stream_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "atoll/base/units.hpp"
#include "atoll/recording/objects_by_time.hpp"
#include "atoll/recording/read_stream.hpp"
#include "recording/streams/stream_blocks.hpp"

namespace Atoll::recording {
namespace {

class Checker : public Consumer {
 public:
  explicit Checker(StreamCheck& found) : found_(found) {}

  void begin(const Recording& recording) override {
    found_.recording = recording;
    check_recording();
    check_overlaps();
    objects_.emplace(recording);
  }

  void accesses(std::uint32_t stream, std::span<const Access> accesses) override {
    Stream& of = stream_of(stream);
    for (const Access& access : accesses) {
      ++(access.write ? found_.writes : found_.reads);
      if (access.bytes == 0 || access.bytes > 64)
        wrong(fmt::format("thread {} accesses {} bytes at once", stream, access.bytes));
      if (access.address < kPageBytes || access.address >> 47 != 0)
        wrong(fmt::format("thread {} accesses {:#x}, where no program has memory", stream,
                          access.address));
      const AccessStyle& style = of.styles[access.style];
      found_.work += style.work;
      found_.atomics += style.atomic ? 1U : 0U;
      if (style.depends_on > of.loads)
        wrong(fmt::format("thread {} has an address from {} loads before, and made {}", stream,
                          style.depends_on, of.loads));
      found_.dependent += style.depends_on != 0 ? 1U : 0U;
      of.loads += access.write ? 0U : 1U;
      const ObjectsByTime::Found& to = of.cursor.find(access.address);
      if (to.count > 1)
        ++found_.several_objects;
      else if (to.count == 0 || found_.recording.objects[to.object].kind == ObjectKind::other)
        ++found_.no_object;
      else
        ++found_.one_object;
    }
  }

  void event(std::uint32_t stream, const StreamEvent& event) override {
    Stream& of = stream_of(stream);
    if (event.number < of.clock)
      wrong(fmt::format("thread {} has event {} after {} events", stream, event.number, of.clock));
    of.clock = event.clock();
    of.cursor.event(event);
    if (event.is_clock()) return;
    ++found_.events;
    events_.push_back(event.number);
  }

  void style(std::uint32_t stream, std::uint32_t number, const AccessStyle& style) override {
    stream_of(stream).styles[number] = style;
  }

  void work(std::uint32_t /*stream*/, const Work& work) override { found_.work += work; }

  void finish(int version) {
    std::ranges::sort(events_);
    if (const auto twice = std::ranges::adjacent_find(events_); twice != events_.end())
      wrong(fmt::format("two events have the number {}", *twice));
    if (version > 1 && found_.several_objects != 0)
      wrong(
          fmt::format("{} accesses are to several objects", format_count(found_.several_objects)));
    if (wrong_ > found_.wrong.size())
      found_.wrong.push_back(
          fmt::format("and {} more", format_count(wrong_ - found_.wrong.size())));
  }

 private:
  struct Stream {
    ObjectCursor cursor;
    std::uint64_t clock = 0;
    std::uint64_t loads = 0;
    std::array<AccessStyle, kAccessStyles> styles{};
  };

  Stream& stream_of(std::uint32_t stream) {
    if (last_ != nullptr && last_number_ == stream) return *last_;
    const std::uint32_t process = found_.recording.threads[stream].process;
    last_ = &streams_.try_emplace(stream, Stream{{*objects_, process}}).first->second;
    last_number_ = stream;
    return *last_;
  }

  void check_recording() {
    const Recording& recording = found_.recording;
    for (const Thread& thread : recording.threads) {
      if (thread.process >= recording.processes.size())
        wrong(fmt::format("thread {} is of process {}, which isn't there", thread.id,
                          thread.process));
      if (thread.creator != kNone && thread.creator >= thread.id)
        wrong(fmt::format("thread {} was created by a later one, {}", thread.id, thread.creator));
      if (thread.ended_ns != 0 && thread.ended_ns < thread.started_ns)
        wrong(fmt::format("thread {} ended before it began", thread.id));
      check_order(thread);
    }
    for (const Process& process : recording.processes)
      if (process.parent != kNone && process.parent >= process.id)
        wrong(fmt::format("process {} has a later one as parent, {}", process.id, process.parent));
    for (const Object& object : recording.objects) {
      if (object.process >= recording.processes.size())
        wrong(fmt::format("object {} is of a process that isn't there", object.id));
      if (object.site != kNone && object.site >= recording.sites.size())
        wrong(fmt::format("object {} is of a site that isn't there", object.id));
      if (object.freed_ns != 0 && object.freed_ns < object.created_ns)
        wrong(fmt::format("object {} was freed before it was there", object.id));
    }
  }

  /// Checks that creation, begin, end and join of a thread are in this order of events.
  void check_order(const Thread& thread) {
    std::uint64_t before = kNoEvent;
    for (const std::uint64_t event :
         {thread.created_event, thread.begun_event, thread.ended_event, thread.joined_event}) {
      if (event == kNoEvent) continue;
      if (before != kNoEvent && event <= before)
        wrong(fmt::format("thread {} has event {} after event {}", thread.id, event, before));
      before = event;
    }
  }

  /// Checks that no two large allocations of one process share addresses, even at different times.
  void check_overlaps() {
    std::vector<const Object*> heap;
    for (const Object& object : found_.recording.objects)
      if (object.kind == ObjectKind::heap) heap.push_back(&object);
    std::ranges::sort(heap, [](const Object* a, const Object* b) {
      return std::tie(a->process, a->address) < std::tie(b->process, b->address);
    });
    for (std::size_t i = 1; i < heap.size(); ++i)
      if (heap[i]->process == heap[i - 1]->process &&
          heap[i]->address < heap[i - 1]->address + heap[i - 1]->bytes)
        wrong(fmt::format("objects {} and {} share addresses", heap[i - 1]->id, heap[i]->id));
  }

  void wrong(std::string line) {
    ++wrong_;
    if (found_.wrong.size() < 20) found_.wrong.push_back(std::move(line));
  }

  StreamCheck& found_;
  std::optional<ObjectsByTime> objects_;
  std::map<std::uint32_t, Stream> streams_;
  Stream* last_ = nullptr;
  std::uint32_t last_number_ = kNone;
  std::vector<std::uint64_t> events_;
  std::uint64_t wrong_ = 0;
};

}  // namespace

StreamCheck check_stream(const std::string& path) {
  StreamCheck found;
  Checker checker(found);
  read_stream(path, checker);
  checker.finish(BlockReader(path).version());
  return found;
}

}  // namespace Atoll::recording
