// Events in streams: operations are between the accesses of the thread that performed them, and are
// numbered by one counter. Also the objects that accesses belong to.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <thread>

#include "atoll/recording/objects_by_time.hpp"
#include "atoll/recording/read_stream.hpp"
#include "process/child.hpp"
#include "recording/drain.hpp"
#include "recording/read_events.hpp"
#include "recording/streams/stream_check.hpp"
#include "recording/streams/stream_writer.hpp"
#include "recording_support.hpp"
#include "temporary_folder.hpp"

namespace Atoll::recording {
namespace {

using record::current_thread;
using record::EventKind;
using record::record;
using Kind = RecordKind;

/// A call of the stream's consumer.
struct Step {
  Access access;  ///< 0 bytes if the call is an event
  StreamEvent event;
  std::uint32_t object = kNone;
};

struct Streams : Consumer {
  Recording recording;
  std::map<std::uint32_t, std::vector<Step>> steps;

  void begin(const Recording& all) override {
    recording = all;
    objects_.emplace(all);
  }
  void accesses(std::uint32_t stream, std::span<const Access> accesses) override {
    for (const Access& access : accesses) {
      const ObjectsByTime::Found found = cursor_of(stream).find(access.address);
      EXPECT_LE(found.count, 1U);
      steps[stream].push_back({access, {}, found.count == 0 ? kNone : found.object});
    }
  }
  void event(std::uint32_t stream, const StreamEvent& event) override {
    cursor_of(stream).event(event);
    steps[stream].push_back({{}, event});
  }

  [[nodiscard]] std::vector<StreamEvent> events(Kind kind) const {
    std::vector<StreamEvent> found;
    for (const auto& [stream, all] : steps)
      for (const Step& step : all)
        if (step.access.bytes == 0 && step.event.kind == kind) found.push_back(step.event);
    return found;
  }
  /// Returns the stream that contains the event.
  [[nodiscard]] std::uint32_t stream_of(std::uint64_t number) const {
    for (const auto& [stream, all] : steps)
      for (const Step& step : all)
        if (step.access.bytes == 0 && step.event.kind != Kind::clock && step.event.number == number)
          return stream;
    return kNone;
  }
  /// Returns the objects of a thread's accesses to an address, in order.
  [[nodiscard]] std::vector<std::uint32_t> objects(std::uint32_t stream,
                                                   std::uint64_t address) const {
    std::vector<std::uint32_t> found;
    for (const Step& step : steps.at(stream))
      if (step.access.bytes != 0 && step.access.address == address) found.push_back(step.object);
    return found;
  }

 private:
  ObjectCursor& cursor_of(std::uint32_t stream) {
    const std::uint32_t process = recording.threads.at(stream).process;
    return cursors_.try_emplace(stream, *objects_, process).first->second;
  }
  std::optional<ObjectsByTime> objects_;
  std::map<std::uint32_t, ObjectCursor> cursors_;
};

/// The file of a stream. The destructor removes it.
struct File {
  TemporaryFolder folder;
  std::string path = folder / "events";
};

Streams read_back(const Region& region, StreamWriter& writer, const Drain& drain,
                  const std::string& path, const std::map<pid_t, int>& ended) {
  process::Symbols symbols;
  ObjectIndex index;
  PhysicalPages pages;
  writer.finish(read_events(RegionView(region.header()), region.epoch_ns(), ended, symbols, index,
                            pages, drain.pages()));
  EXPECT_EQ(check_stream(path).wrong, std::vector<std::string>{});
  Streams read;
  read_stream(path, read);
  return read;
}

/// Returns the streams that `work` records in a child process.
template <typename Work>
Streams streams_of(Work&& work) {
  const File file;
  Region region({.bytes = 256 << 20, .mode = record::Mode::stream});
  StreamWriter writer(file.path);
  Drain drain(region, writer);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!record::attach(region.path().c_str())) ::_exit(99);
    work();
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) drain.step();
  drain.step();
  EXPECT_EQ(status, 0);
  return read_back(region, writer, drain, file.path, {});
}

/// Returns the streams of a program of tests/watched with the library. Its code records no
/// accesses.
Streams watch_program(const std::string& what) {
  const File file;
  Region region({.bytes = 256 << 20, .mode = record::Mode::stream});
  StreamWriter writer(file.path);
  Drain drain(region, writer);
  process::Child child(
      {.command = {"sh", "-c", "exec \"$0\" \"$@\" >/dev/null", ATOLL_WATCHED_PROGRAM, what},
       .environment = {{"ATOLL_RECORDING", region.path()}, {"LD_PRELOAD", ATOLL_RECORD_LIBRARY}}});
  while (!child.wait(1)) drain.step();
  drain.step();
  EXPECT_EQ(child.status(), 0);
  return read_back(region, writer, drain, file.path, child.ended());
}

void tell(EventKind kind, std::uint64_t address, std::uint64_t bytes) {
  const record::Mapped mapped = {.range = {address, bytes, 0, 0}};
  const record::Freed freed = {address, bytes};
  if (kind == EventKind::freed || kind == EventKind::unmapped)
    record::emit(current_thread(), kind, &freed, sizeof freed);
  else if (kind == EventKind::mapped)
    record::emit(current_thread(), kind, &mapped, sizeof mapped, "", 1);
  else
    record::emit(current_thread(), kind, &mapped.range, sizeof mapped.range);
}

void access(std::uint64_t address) {
  record(current_thread(), address, 8, false);
}

TEST(StreamEvents, StandBetweenTheAccessesOfTheirThread) {
  const Streams read = streams_of([] {
    tell(EventKind::allocated, kBase, 0x20000);
    access(kBase + 8);
    tell(EventKind::freed, kBase, 0x20000);
    tell(EventKind::mapped, kBase + 0x100000, 0x3000);
    access(kBase + 0x100000);
    record::mark(current_thread(), record::Mark::begin);
    access(kBase + 0x100008);
    record::mark(current_thread(), record::Mark::iteration);
    record::mark(current_thread(), record::Mark::end);
    tell(EventKind::unmapped, kBase + 0x101000, 0x1000);
    access(kBase + 0x102000);
    access(kBase + 0x101000);  // no object contains it any more
    record::end_thread();
  });
  std::vector<std::string> told;
  for (const Step& step : read.steps.at(0))
    told.push_back(step.access.bytes != 0
                       ? fmt::format("access {:x} of {}", step.access.address - kBase,
                                     static_cast<int>(step.object))
                       : fmt::format("{} {} {:x} {:x}", step.event.number,
                                     static_cast<int>(step.event.kind),
                                     step.event.address == 0 ? 0 : step.event.address - kBase,
                                     step.event.bytes));
  const auto line = [](int number, Kind kind, std::uint64_t address = 0, std::uint64_t bytes = 0) {
    return fmt::format("{} {} {:x} {:x}", number, static_cast<int>(kind), address, bytes);
  };
  EXPECT_EQ(told,
            (std::vector<std::string>{
                line(0, Kind::thread_begun), line(1, Kind::allocated, 0, 0x20000), "access 8 of 1",
                line(2, Kind::freed, 0, 0x20000), line(3, Kind::mapped, 0x100000, 0x3000),
                "access 100000 of 2", line(4, Kind::mark_begin), "access 100008 of 2",
                line(5, Kind::mark_iteration), line(6, Kind::mark_end),
                line(7, Kind::unmapped, 0x101000, 0x1000), "access 102000 of 2",
                "access 101000 of -1", line(8, Kind::thread_ended)}));
}

/// Lets threads run their parts in a fixed order.
class Turns {
 public:
  void wait_for(int turn) const {
    while (turn_.load() != turn) ::sched_yield();
  }
  void next() { ++turn_; }

 private:
  std::atomic<int> turn_{0};
};

// The first thread has no event between its two accesses, while other threads replace the object.
TEST(StreamEvents, AddressesThatOthersUseAgainAreOfTheObjectOfThatTime) {
  const Streams read = streams_of([] {
    Turns turns;
    access(kBase + 0x900000);  // gives this thread the number 0
    std::thread first([&] {
      turns.wait_for(0);
      tell(EventKind::mapped, kBase, 0x1000);
      access(kBase);
      turns.next();
      turns.wait_for(2);
      tell(EventKind::unmapped, kBase, 0x1000);
      turns.next();
      record::end_thread();
    });
    std::thread second([&] {
      turns.wait_for(3);
      tell(EventKind::mapped, kBase, 0x1000);
      access(kBase);
      turns.next();
      record::end_thread();
    });
    turns.wait_for(1);
    access(kBase);
    turns.next();
    turns.wait_for(4);
    access(kBase);
    first.join();
    second.join();
  });
  const std::vector<std::uint32_t> seen = read.objects(0, kBase);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_NE(seen[0], kNone);
  EXPECT_NE(seen[1], kNone);
  EXPECT_NE(seen[0], seen[1]);
  std::set<std::uint32_t> of_others;
  for (const std::uint32_t stream : {1, 2}) {
    const std::vector<std::uint32_t> own = read.objects(stream, kBase);
    ASSERT_EQ(own.size(), 1U);
    of_others.insert(own[0]);
  }
  EXPECT_EQ(of_others, (std::set<std::uint32_t>{seen[0], seen[1]}));
}

TEST(StreamEvents, AForkedChildsAccessesAreToWhatItInherited) {
  const Streams read = streams_of([] {
    tell(EventKind::mapped, kBase, 0x1000);
    access(kBase);
    int ready[2];
    if (::pipe(ready) != 0) ::_exit(98);
    const pid_t child = ::fork();
    if (child == 0) {
      char byte = 0;
      if (::read(ready[0], &byte, 1) != 1) ::_exit(97);
      access(kBase);  // the parent has another object at this address now
      tell(EventKind::mapped, kBase, 0x1000);
      access(kBase);
      ::_exit(0);
    }
    tell(EventKind::unmapped, kBase, 0x1000);
    tell(EventKind::mapped, kBase, 0x1000);
    access(kBase);
    if (::write(ready[1], "x", 1) != 1) ::_exit(96);
    int status = 0;
    ::waitpid(child, &status, 0);
  });
  ASSERT_EQ(read.recording.processes.size(), 2U);
  const std::vector<std::uint32_t> parents = read.objects(0, kBase),
                                   childs = read.objects(1, kBase);
  ASSERT_EQ(parents.size(), 2U);
  ASSERT_EQ(childs.size(), 2U);
  EXPECT_EQ(childs[0], parents[0]);
  EXPECT_NE(parents[1], parents[0]);
  EXPECT_EQ(read.recording.objects.at(childs[1]).process, 1U);
}

// A clock record between the parts of a loop would split the loop.
TEST(StreamEvents, OthersEventsDoNotCutALoop) {
  const Streams read = streams_of([] {
    auto* thread = current_thread();
    record::record_range(thread, kBase, 8, 2, 8, false, true);
    std::thread([] {
      tell(EventKind::mapped, kBase + 0x10000, 0x1000);
      record::end_thread();
    }).join();
    record::record_range(thread, kBase + 0x1000, 8, 2, 8, true);
    access(kBase + 0x10000);
  });
  std::vector<std::uint64_t> order;
  for (const Step& step : read.steps.at(0))
    if (step.access.bytes != 0) order.push_back(step.access.address - kBase);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 0x1000, 8, 0x1008, 0x10000}));
  EXPECT_EQ(read.objects(0, kBase + 0x10000), std::vector<std::uint32_t>{1 + 0});
}

TEST(StreamEvents, ThreadsAreCreatedBeginEndAndAreJoinedInThisOrder) {
  const Streams read = watch_program("threads");
  ASSERT_EQ(read.recording.threads.size(), 7U);  // one of them is the shell's
  int created = 0;
  for (const Thread& thread : read.recording.threads) {
    EXPECT_EQ(thread.stream, thread.id);
    ASSERT_NE(thread.begun_event, kNoEvent);
    EXPECT_EQ(read.stream_of(thread.begun_event), thread.id);
    if (thread.created_event == kNoEvent) continue;  // the first thread of a process
    ++created;
    EXPECT_EQ(read.stream_of(thread.created_event), thread.creator);
    EXPECT_EQ(read.stream_of(thread.ended_event), thread.id);
    ASSERT_NE(thread.joined_event, kNoEvent);
    EXPECT_EQ(read.stream_of(thread.joined_event), thread.creator);
    EXPECT_LT(thread.created_event, thread.begun_event);
    EXPECT_LT(thread.begun_event, thread.ended_event);
    EXPECT_LT(thread.ended_event, thread.joined_event);
    for (const auto& [kind, number] : {std::pair{Kind::thread_created, thread.created_event},
                                       std::pair{Kind::thread_joined, thread.joined_event}}) {
      const auto events = read.events(kind);
      const auto event = std::ranges::find(events, number, &StreamEvent::number);
      ASSERT_NE(event, events.end());
      EXPECT_EQ(event->thread, thread.id);
    }
  }
  EXPECT_EQ(created, 5);
}

TEST(StreamEvents, AllocationsAndTheirEndsAreNumberedOnceOverAllThreads) {
  const Streams read = watch_program("free");
  const auto freed = read.events(Kind::freed);
  ASSERT_EQ(freed.size(), 100U);
  std::set<std::uint64_t> numbers;
  for (const auto& [stream, steps] : read.steps)
    for (const Step& step : steps)
      if (step.access.bytes == 0 && step.event.kind != Kind::clock) {
        EXPECT_TRUE(numbers.insert(step.event.number).second);
      }
  const auto allocated = read.events(Kind::allocated);
  for (const StreamEvent& gone : freed) {
    const auto made = std::ranges::find(allocated, gone.address, &StreamEvent::address);
    ASSERT_NE(made, allocated.end());
    EXPECT_LT(made->number, gone.number);
    // The object's range begins and ends directly after these events.
    const auto range = std::ranges::find_if(read.recording.ranges, [&](const ObjectRange& some) {
      return some.begin == gone.address && some.from == made->number + 1;
    });
    ASSERT_NE(range, read.recording.ranges.end());
    EXPECT_EQ(range->until, gone.number + 1);
  }
}

}  // namespace
}  // namespace Atoll::recording
