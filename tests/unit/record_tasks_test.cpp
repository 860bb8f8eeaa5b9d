// Tasks as the recorder reports them: lines and words that each task uses, compared with an
// independent count of all accesses.
#include <gmock/gmock.h>

#include <atomic>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "record/task_words.hpp"
#include "recording/objects/read_objects.hpp"
#include "recording/task_drain.hpp"
#include "recording_support.hpp"

namespace Atoll::recording {
namespace {

using record::begin_task;
using record::current_thread;
using record::end_task;
using record::record;

/// The use of each line, by loop and task.
struct Tasks : Consumer {
  std::map<std::pair<std::string, std::uint64_t>, std::map<std::uint64_t, LineUse>> tasks;
  std::size_t told = 0;

  void task(const TaskUses& uses) override {
    ++told;
    auto& lines = tasks[{std::string(uses.loop), uses.number}];
    for (const LineUse& use : uses.lines) add(lines[use.line], use);
  }
  static void add(LineUse& to, const LineUse& use) {
    to.line = use.line;
    to.read |= use.read;
    to.written |= use.written;
    to.atomic |= use.atomic;
  }
  friend bool operator==(const Tasks& a, const Tasks& b) { return a.tasks == b.tasks; }
};

/// Runs `work` in a child process, and consumes its reports while it runs.
template <typename Work>
Tasks tasks_of(Work&& work, std::uint64_t bytes = 256 << 20) {
  const Region region({.bytes = bytes, .by_task = true});
  Tasks tasks;
  TaskDrain drain(region, tasks);
  std::atomic<bool> over{false};
  std::thread reader([&] {
    while (!over) drain.step();
  });
  EXPECT_EQ(in_child(region, work), 0);
  over = true;
  reader.join();
  drain.step();
  return tasks;
}

LineUse use(std::uint64_t line, std::uint8_t read, std::uint8_t written, std::uint8_t atomic = 0) {
  return {.line = line, .read = read, .written = written, .atomic = atomic};
}

constexpr std::uint64_t kLine = kBase / 64;

TEST(TraceTasks, ATaskUsesWhatItAccessesBetweenItsMarks) {
  const Tasks tasks = tasks_of([] {
    auto* thread = current_thread();
    record(thread, kBase, 8, true);  // before the first task
    begin_task(thread, "rows", 7);
    record(thread, kBase + 8, 8, false);
    record(thread, kBase + 16, 4, false);
    record(thread, kBase + 64, 8, true);
    end_task(thread);
    record(thread, kBase + 128, 8, true);  // between tasks
    begin_task(thread, "rows", 8);
    record(thread, kBase + 128, 8, false);
    record(thread, kBase + 24, 8, true);
    end_task(thread);
    begin_task(thread, "columns", 7);
    end_task(thread);
  });
  ASSERT_EQ(tasks.tasks.size(), 3U);
  EXPECT_THAT(tasks.tasks.at({"rows", 7}),
              testing::ElementsAre(std::pair(kLine, use(kLine, 0b110, 0)),
                                   std::pair(kLine + 1, use(kLine + 1, 0, 1))));
  EXPECT_THAT(tasks.tasks.at({"rows", 8}),
              testing::ElementsAre(std::pair(kLine, use(kLine, 0, 0b1000)),
                                   std::pair(kLine + 2, use(kLine + 2, 1, 0))));
  EXPECT_TRUE(tasks.tasks.at({"columns", 7}).empty());
}

TEST(TraceTasks, WritesOfAtomicOperationsAreToldApart) {
  constexpr std::uint64_t kManyLines = 1000;  // more than one report holds
  const Tasks tasks = tasks_of([] {
    auto* thread = current_thread();
    begin_task(thread, "rows", 0);
    record(thread, kBase, 8, true);
    record::record_atomic_write(thread, kBase + 8, 8);
    record::record_atomic_write(thread, kBase + 60, 8);  // crosses a line
    for (std::uint64_t line = 2; line < kManyLines; ++line) {
      record(thread, kBase + 64 * line, 8, false);
      record::record_atomic_write(thread, kBase + 64 * line, 8);
    }
    end_task(thread);
    begin_task(thread, "rows", 1);  // must not contain uses of the previous task
    record(thread, kBase + 8, 8, false);
    end_task(thread);
  });
  const auto& lines = tasks.tasks.at({"rows", 0});
  ASSERT_EQ(lines.size(), kManyLines);
  EXPECT_EQ(lines.at(kLine), use(kLine, 0, 1, 0b1000'0010));
  EXPECT_EQ(lines.at(kLine + 1), use(kLine + 1, 0, 0, 1));
  for (std::uint64_t line = 2; line < kManyLines; ++line)
    EXPECT_EQ(lines.at(kLine + line), use(kLine + line, 1, 0, 1));
  EXPECT_EQ(tasks.tasks.at({"rows", 1}).at(kLine), use(kLine, 0b10, 0));
}

TEST(TraceTasks, ABeginEndsTheTaskBeforeAndAnEndAloneIsNothing) {
  const Tasks tasks = tasks_of([] {
    auto* thread = current_thread();
    end_task(thread);
    begin_task(thread, "outer", 1);
    record(thread, kBase, 8, false);
    begin_task(thread, "inner", 2);
    record(thread, kBase + 64, 8, false);
    end_task(thread);
    record(thread, kBase + 128, 8, false);
    end_task(thread);
  });
  EXPECT_EQ(tasks.told, 2U);
  EXPECT_EQ(tasks.tasks.at({"outer", 1}).size(), 1U);
  EXPECT_EQ(tasks.tasks.at({"inner", 2}).size(), 1U);
}

TEST(TraceTasks, AThreadThatEndsEndsItsTask) {
  const Tasks tasks = tasks_of([] {
    std::thread([] {
      begin_task(current_thread(), "rows", 1);
      record(current_thread(), kBase, 8, false);
      record::end_thread();
    }).join();
  });
  EXPECT_EQ(tasks.tasks.at({"rows", 1}).size(), 1U);
}

TEST(TraceTasks, ALineThatIsUsedVeryOftenIsReadAndWritten) {
  const Tasks tasks = tasks_of([] {
    auto* thread = current_thread();
    begin_task(thread, "rows", 0);
    record::record_repeated(thread, kBase, record::kMaxReads * 5, 8, false);
    record::record_repeated(thread, kBase + 8, record::kMaxWrites * 5, 8, true);
    end_task(thread);
    begin_task(thread, "rows", 1);
    record(thread, kBase, 8, true);
    end_task(thread);
  });
  EXPECT_EQ(tasks.tasks.at({"rows", 0}).at(kLine), use(kLine, 0b1, 0b10));
  EXPECT_EQ(tasks.tasks.at({"rows", 1}).at(kLine), use(kLine, 0, 1));
}

/// A consumer that stores the hashes of parts, and recognises repeated parts.
struct Parts : Consumer {
  std::vector<std::uint64_t> hashes;
  std::size_t told = 0, lines = 0;

  bool knows(const TaskPart& part) override {
    const bool is_known = std::ranges::find(hashes, part.hash) != hashes.end();
    hashes.push_back(part.hash);
    lines += part.lines;
    return is_known;
  }
  void task(const TaskUses& uses) override {
    EXPECT_EQ(uses.hash, hashes.back());
    ++told;
  }
};

TEST(TraceTasks, PartsThatComeAgainAreKnownAndOthersAreNot) {
  const auto task = [](std::uint64_t number, std::uint64_t address, bool writes, bool is_atomic) {
    auto* thread = current_thread();
    begin_task(thread, "rows", number);
    record(thread, kBase + 640, 8, false);
    if (is_atomic)
      record::record_atomic_write(thread, address, 8);
    else
      record(thread, address, 8, writes);
    end_task(thread);
  };
  const auto work = [&task] {
    task(1, kBase, false, false);
    task(2, kBase, false, false);
    task(1, kBase + 8, false, false);
    task(1, kBase + 64, false, false);
    task(1, kBase, true, false);
    task(1, kBase, false, true);
    task(1, kBase, false, false);  // a repetition of the first part
    begin_task(current_thread(), "rows", 1);
    end_task(current_thread());
  };
  const Region region({.bytes = 64 << 20, .by_task = true});
  Parts parts;
  EXPECT_EQ(in_child(region, work), 0);
  TaskDrain(region, parts).step();
  ASSERT_EQ(parts.hashes.size(), 8U);
  EXPECT_EQ(parts.hashes[6], parts.hashes[0]);
  EXPECT_EQ(parts.told, 7U);
  EXPECT_EQ(parts.lines, 14U);
  parts.hashes[6] = 0;
  EXPECT_EQ(std::set<std::uint64_t>(parts.hashes.begin(), parts.hashes.end()).size(), 8U);
}

TEST(TraceTasks, ATaskMayHaveMoreLinesThanTheLog) {
  constexpr std::uint64_t kLines = 100'000;
  const Tasks tasks = tasks_of([] {
    auto* thread = current_thread();
    begin_task(thread, "rows", 0);
    for (std::uint64_t line = 0; line < kLines; ++line) record(thread, kBase + 64 * line, 8, false);
    record(thread, kBase + 8, 8, true);  // the line has left the log, and is used again
    end_task(thread);
    begin_task(thread, "rows", 1);
    record(thread, kBase + 64, 8, false);
    end_task(thread);
  });
  const auto& first = tasks.tasks.at({"rows", 0});
  EXPECT_EQ(first.size(), kLines);
  EXPECT_EQ(first.at(kLine), use(kLine, 0b1, 0b10));
  EXPECT_EQ(first.at(kLine + kLines - 1), use(kLine + kLines - 1, 1, 0));
  EXPECT_EQ(tasks.tasks.at({"rows", 1}).size(), 1U);
}

TEST(TraceTasks, ARangeIsWhatItsAccessesAre) {
  struct Range {
    std::uint64_t address;
    std::int64_t step;
    std::uint64_t n;
    std::uint32_t bytes;
  };
  // Ranges that are dense across pages, descending, with gaps, across lines, at one address, and
  // one access per page.
  constexpr Range kRanges[] = {{kBase + 4088, 8, 1200, 8}, {kBase + 4096, -4, 900, 4},
                               {kBase + 16, 24, 500, 8},   {kBase + 5, 7, 1000, 16},
                               {kBase + 60, 0, 9, 8},      {kBase, 4096, 5, 8}};
  const auto told = [&](bool as_range) {
    return tasks_of([&, as_range] {
      auto* thread = current_thread();
      std::uint64_t task = 0;
      for (const Range& range : kRanges)
        for (const bool is_write : {false, true}) {
          begin_task(thread, "rows", task++ / 2);  // reads and writes of a range belong to one task
          if (as_range) {
            record::record_range(thread, range.address, range.step, range.n, range.bytes, is_write);
            continue;
          }
          for (std::uint64_t i = 0; i < range.n; ++i)
            record(thread, range.address + i * static_cast<std::uint64_t>(range.step), range.bytes,
                   is_write);
        }
      end_task(thread);
    });
  };
  const Tasks ranges = told(true);
  EXPECT_EQ(ranges.tasks.size(), std::size(kRanges));
  EXPECT_TRUE(ranges == told(false));
}

TEST(TraceTasks, WhatIsHeldBackIsNoTask) {
  const Region region({.bytes = 64 << 20, .only_between_marks = true, .by_task = true});
  Tasks tasks;
  in_child(region, [] {
    auto* thread = current_thread();
    for (std::uint64_t task = 0; task < 4; ++task) {
      if (task == 1) record::mark(thread, record::Mark::begin);
      if (task == 3) record::mark(thread, record::Mark::end);
      begin_task(thread, "rows", task);
      record(thread, kBase, 8, false);
      end_task(thread);
    }
  });
  TaskDrain(region, tasks).step();
  ASSERT_EQ(tasks.tasks.size(), 2U);
  EXPECT_EQ(tasks.tasks.at({"rows", 1}).size(), 1U);
  EXPECT_EQ(tasks.tasks.at({"rows", 2}).size(), 1U);
}

TEST(TraceTasks, FurtherLoopsThanThereAreNumbersForAreLostAndCounted) {
  const Region region({.bytes = 64 << 20, .by_task = true});
  Tasks tasks;
  in_child(region, [] {
    for (std::uint32_t loop = 0; loop < record::kLoops + 3; ++loop) {
      const std::string name = "loop " + std::to_string(loop);
      begin_task(current_thread(), name.c_str(), 0);
      record(current_thread(), kBase, 8, false);
      end_task(current_thread());
    }
  });
  TaskDrain(region, tasks).step();
  EXPECT_EQ(tasks.tasks.size(), record::kLoops);
  EXPECT_EQ(region.header().lost_tasks, 3U);
}

TEST(TraceTasks, NamesAreWholeOrTheirTasksAreLostAndCounted) {
  const Region region({.bytes = 64 << 20, .by_task = true});
  Tasks tasks;
  const std::string longest(record::kLoopName - 1, 'a');
  const std::string other = longest.substr(1) + 'b', beyond = longest + 'a';
  in_child(region, [&] {
    for (int round = 0; round < 2; ++round)
      for (const std::string* name : {&longest, &other, &beyond}) {
        record::declare_loop(name->c_str(), 10, 1, 0);
        for (const std::uint64_t number : {std::uint64_t{7}, ~std::uint64_t{0}}) {
          begin_task(current_thread(), name->c_str(), number);
          end_task(current_thread());
        }
      }
  });
  TaskDrain(region, tasks).step();
  EXPECT_EQ(tasks.tasks.size(), 4U);
  EXPECT_TRUE(tasks.tasks.contains({longest, 7}));
  EXPECT_TRUE(tasks.tasks.contains({other, record::kMaxNumber}));
  EXPECT_EQ(region.header().lost_tasks, 4U);
  EXPECT_EQ(task_loops_of(RegionView(region.header())).size(), 2U);
}

TEST(TraceTasks, LoopsAreToldOf) {
  const Region region({.bytes = 64 << 20, .by_task = true});
  in_child(region, [] {
    record::declare_loop("rows", 1000, 8, 99);
    begin_task(current_thread(), "columns", 1);
    end_task(current_thread());
    record::declare_loop("rows", 2000, 8, 98);
  });
  EXPECT_THAT(task_loops_of(RegionView(region.header())),
              testing::ElementsAre(TaskLoop{"rows", 2000, 8, 98}, TaskLoop{"columns", 0, 0, 0}));
}

/// One access of a random program.
struct Step {
  std::uint64_t task, address;
  std::uint32_t bytes;
  bool is_write;
};

/// Returns the accesses of tasks. Some tasks run several times; some access many lines.
std::vector<Step> random_steps(std::uint32_t seed, std::size_t tasks) {
  std::mt19937 random(seed);
  std::vector<Step> steps;
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::uint64_t task = random() % (tasks * 3 / 4);
    const std::size_t accesses = random() % 40 + (random() % 50 == 0 ? 3000 : 0);
    for (std::size_t k = 0; k < accesses; ++k)
      steps.push_back(
          {task, kBase + (random() % (1U << 22)) / 4 * 4, 1U << random() % 4, random() % 3 == 0});
  }
  return steps;
}

void expect(Tasks& tasks, const std::string& loop, const Step& step) {
  for (std::uint64_t word = step.address / 8; word <= (step.address + step.bytes - 1) / 8; ++word) {
    const auto bit = static_cast<std::uint8_t>(1U << word % 8);
    Tasks::add(tasks.tasks[{loop, step.task}][word / 8],
               step.is_write ? use(word / 8, 0, bit) : use(word / 8, bit, 0));
  }
}

TEST(TraceTasks, RandomTasksOfSeveralThreadsAgainstAllAccesses) {
  constexpr std::uint32_t kThreads = 4;
  Tasks expected;
  std::vector<std::vector<Step>> steps;
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    steps.push_back(random_steps(i, 2000));
    for (const Step& step : steps.back()) expect(expected, "loop" + std::to_string(i % 2), step);
  }
  const Tasks tasks = tasks_of([&] {
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        const std::string loop = "loop" + std::to_string(i % 2);
        auto* thread = current_thread();
        for (std::size_t k = 0; k < steps[i].size(); ++k) {
          const Step& step = steps[i][k];
          if (k == 0 || step.task != steps[i][k - 1].task)
            begin_task(thread, loop.c_str(), step.task);
          record(thread, step.address, step.bytes, step.is_write);
          // An access between two tasks belongs to no task.
          if (k + 1 < steps[i].size() && step.task != steps[i][k + 1].task) {
            end_task(thread);
            record(thread, step.address + 128, 8, true);
          }
        }
        record::end_thread();
      });
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_EQ(tasks.tasks.size(), expected.tasks.size());
  EXPECT_TRUE(tasks == expected);
}

}  // namespace
}  // namespace Atoll::recording
