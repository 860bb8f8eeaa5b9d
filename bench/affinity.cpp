// Suite `affinity`: loops of tasks without an observer and without a schedule, relative to plain
// loops. Results are compared with a plain loop's before any measurement. The minimum over all
// rounds is used, because other programs only add time.
#include <atoll/marks/marks.h>
#include <atoll/parallel/for_each_task.hpp>

#include <sched.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "affinity_programs.hpp"
#include "affinity_recording.hpp"
#include "affinity_schedules.hpp"
#include "bench.hpp"

namespace {

using Atoll::LoopSchedule;

constexpr int kRounds = 1000;
constexpr std::size_t kElements = std::size_t{1} << 20;
constexpr std::size_t kMarks = std::size_t{1} << 20;

}  // namespace

int main(int argc, char** argv) {
  cpu_set_t all;  // saved for child processes, because a team binds its threads, including this one
  ::sched_getaffinity(0, sizeof all, &all);
  const Atoll::Machine machine = Atoll::Machine::this_computer();
  const Atoll::Team team(Atoll::spread_places(machine));
  Atoll::bench::Suite suite("affinity");

  std::vector<double> elements(kElements);
  double* const x = elements.data();
  const auto reset = [&] {
    for (std::size_t i = 0; i < kElements; ++i) x[i] = static_cast<double>(i % 1000);
  };
  const auto scale = [x](std::size_t i) { x[i] = 0.5 * x[i] + 1; };
  for (const LoopSchedule how : {LoopSchedule::fixed, LoopSchedule::dynamic})
    for (const std::size_t chunk : {std::size_t{1}, Atoll::kLoopChunk}) {
      const std::function<void()> tasks = [&] {
        Atoll::for_each_task(team, "scale", kElements, chunk, scale, {.how = how});
      };
      const std::function<void()> plain = [&] { Atoll::for_each(team, kElements, how, scale); };
      for (const auto& variant : {tasks, plain}) {
        reset();
        variant();
        bool right = true;
        for (std::size_t i = 0; i < kElements; ++i)
          right = right && x[i] == 0.5 * static_cast<double>(i % 1000) + 1;
        Atoll::bench::require(right, "for_each_task");
      }
      const auto measured = Atoll::bench::alternate({tasks, plain}, kRounds);
      suite.row(std::string("for_each_task unwatched, ") +
                    (how == LoopSchedule::fixed ? "fixed, " : "dynamic, ") + std::to_string(chunk) +
                    " a task",
                "ms", measured[0].least * 1e3, "plain loop", measured[1].least * 1e3,
                measured[0].spread);
    }

  std::vector<std::uint32_t> ran(kMarks);
  volatile std::uint32_t* const r = ran.data();
  const std::function<void()> marked = [&] {
    for (std::size_t i = 0; i < kMarks; ++i) {
      atoll_mark_task_begin("marked", i);
      r[i] = r[i] + 1;
      atoll_mark_task_end();
    }
  };
  const std::function<void()> unmarked = [&] {
    for (std::size_t i = 0; i < kMarks; ++i) r[i] = r[i] + 1;
  };
  const auto measured = Atoll::bench::alternate({marked, unmarked}, kRounds);
  constexpr double kScale = 1e9 / kMarks;
  suite.row("task with marks, unwatched", "ns", measured[0].least * kScale, "without",
            measured[1].least * kScale, measured[0].spread);
  Atoll::bench::schedule_rows(suite);
  const auto build = std::filesystem::path(argv[0]).parent_path().parent_path();
  ::sched_setaffinity(0, sizeof all, &all);
  Atoll::bench::recording_rows(suite, build);
  Atoll::bench::placement_rows(suite, build);
  Atoll::bench::program_rows(suite, build);
  suite.write(argc, argv);
}
