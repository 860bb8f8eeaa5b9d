// Tasks in streams: the lines accessed between a task's marks, and the objects that own them.
#include <gmock/gmock.h>

#include <bit>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "atoll/affinity/recorded_tasks.hpp"
#include "atoll/affinity/tasks_of_streams.hpp"
#include "atoll/base/error.hpp"

namespace Atoll::affinity {
namespace {

using recording::Access, recording::LineUse, recording::ObjectKind, recording::ObjectLines,
    recording::StreamEvent;
using testing::ElementsAre;

struct Told : recording::Consumer {
  std::map<std::pair<std::string, std::uint64_t>, std::vector<LineUse>> tasks;
  std::map<std::uint64_t, std::vector<ObjectLines>> pages;

  void task(const recording::TaskUses& uses) override {
    tasks[{std::string(uses.loop), uses.number}] = {uses.lines.begin(), uses.lines.end()};
  }
  void page(const recording::PageAccesses& page) override {
    pages[page.page] = {page.objects.begin(), page.objects.end()};
  }
};

/// Objects in page 1: a heap object in the first 0xfc bytes, and a stack from line 8 on.
recording::Recording recording() {
  recording::Recording all;
  all.threads.resize(1);
  all.threads[0].stream = 0;
  all.task_loops = {{"loop", 0, 0, 0}};
  all.objects.resize(3);
  for (std::uint32_t i = 0; i < 3; ++i) all.objects[i].id = i;
  all.objects[0].kind = ObjectKind::heap;
  all.objects[1].kind = ObjectKind::stack;
  all.objects[2].kind = ObjectKind::other;
  all.ranges = {{0, 0, 0x1000, 0x10fc, 0, recording::kNoEvent},
                {0, 1, 0x1200, 0x3000, 0, recording::kNoEvent}};
  return all;
}

StreamEvent begun(std::uint32_t loop, std::uint64_t task) {
  return {.kind = recording::RecordKind::task_begun, .loop = loop, .task = task};
}

void play(recording::Consumer& tasks) {
  const recording::Recording all = recording();
  TasksOfStreams streams(tasks);
  streams.begin(all);
  const std::vector<Access> none{{0x1010, 8, false}};
  const std::vector<Access> first{{0x1000, 8, false}, {0x103c, 8, true}, {0x1180, 4, false}};
  const std::vector<Access> second{{0x1000, 1, true}, {0x1208, 8, true}};
  streams.accesses(0, none);
  streams.event(0, begun(0, 7));
  streams.accesses(0, first);
  streams.event(0, begun(0, 8));
  streams.accesses(0, second);
  streams.event(0, {.kind = recording::RecordKind::task_ended});
  streams.accesses(0, none);
  streams.end(all);
}

TEST(TasksOfStreams, UseWhatIsAccessedBetweenTheirMarks) {
  Told told;
  play(told);
  ASSERT_EQ(told.tasks.size(), 2U);
  const auto use = [](std::uint64_t line, std::uint8_t read, std::uint8_t written) {
    return LineUse{line, read, written};
  };
  EXPECT_THAT((told.tasks[{"loop", 7}]),
              ElementsAre(use(0x40, 1, 0x80), use(0x41, 0, 1), use(0x46, 1, 0)));
  EXPECT_THAT((told.tasks[{"loop", 8}]), ElementsAre(use(0x40, 0, 1), use(0x48, 0, 2)));
}

TEST(TasksOfStreams, TellWhoseEachWordIs) {
  Told told;
  play(told);
  ASSERT_EQ(told.pages.size(), 1U);
  std::map<std::uint32_t, std::size_t> words;  // keyed by object
  for (const ObjectLines& lines : told.pages[1])
    words[lines.object] +=
        std::popcount(lines.words) * static_cast<std::size_t>(lines.end_line - lines.first_line);
  EXPECT_THAT(words, ElementsAre(std::pair(0U, 32U), std::pair(1U, 448U), std::pair(2U, 32U)));
}

TEST(TasksOfStreams, AreRecordedWithoutWhatIsTheThreadsOwn) {
  RecordTasks recorded;
  play(recorded);
  const RecordedLoop loop = recorded.take().at(0);
  EXPECT_EQ(loop.lines, 5U);
  EXPECT_EQ(loop.own_lines, 2U);                  // a stack line, and one without an object
  EXPECT_EQ(loop.uses.location_count, 2U);        // word 0, and both words at the boundary
  EXPECT_THAT(loop.written, testing::IsEmpty());  // word 0 has only one writer
}

TEST(TasksOfStreams, OfALoopWithoutANameAreRefused) {
  Told told;
  const recording::Recording all = recording();
  TasksOfStreams streams(told);
  streams.begin(all);
  EXPECT_THROW(streams.event(0, begun(1, 0)), Error);
}

}  // namespace
}  // namespace Atoll::affinity
