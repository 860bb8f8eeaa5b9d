// Collects recorded tasks.
#include "atoll/affinity/recorded_tasks.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "affinity/locations.hpp"
#include "affinity/task_lines.hpp"

namespace Atoll::affinity {
namespace {

constexpr std::uint32_t kMaxTasks = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr int kLineBits = 42;             // of a line's number: addresses have 48 bits
constexpr std::uint32_t kProcesses = 16;  ///< that what is above these bits can tell apart

std::uint64_t quarter_of_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 4;
}

/// The objects of one page's lines.
using PageObjects = std::vector<trace::ObjectLines>;

}  // namespace

struct RecordTasks::State {
  struct Loop {
    RecordedLoop recorded;
    TaskLines lines;
    std::uint32_t tasks = 0;
  };

  /// A thread's task, of which some lines have come.
  struct Present {
    const Loop* loop = nullptr;
    std::uint64_t number = 0;
    std::uint64_t lines = 0;
  };

  Loop& loop_called(std::string_view name) {
    const auto is = [&](const auto& loop) { return loop->recorded.name == name; };
    const auto found = std::ranges::find_if(loops, is);
    if (found != loops.end()) return **found;
    loops.push_back(std::make_unique<Loop>());
    loops.back()->recorded.name = name;
    return *loops.back();
  }

  /// How many lines of this part of a task are kept, with lines_of_task.
  std::uint64_t room_of(const Loop& loop, const trace::TaskUses& uses) {
    Present& task = present[uses.thread];
    if (task.loop != &loop || task.number != uses.number) task = {&loop, uses.number, 0};
    const std::uint64_t left =
        options.lines_of_task - std::min<std::uint64_t>(task.lines, options.lines_of_task);
    task.lines += uses.lines.size();
    return left;
  }

  /// Calls found(object, words) for the objects of a line, each with its words there.
  template <class Found>
  void for_objects_of(std::uint64_t line, Found&& found) const {
    const auto process = static_cast<std::uint32_t>(line >> kLineBits);
    const std::uint64_t address = line & ((std::uint64_t{1} << kLineBits) - 1);
    const auto page = objects.find({process, address / trace::kLinesOfPage});
    if (page == objects.end()) return;
    const auto here = static_cast<std::uint8_t>(address % trace::kLinesOfPage);
    for (const trace::ObjectLines& lines : page->second)
      if (lines.first_line <= here && here < lines.end_line && lines.object != trace::kNone)
        found(lines.object, lines.words);
  }

  /// All tasks of a thread share its stack, whatever they do.
  void leave_out_stacks(std::vector<TaskLine>& lines, RecordedLoop& loop) const {
    std::uint64_t last = ~std::uint64_t{0};
    std::uint8_t kept = 0xff;
    std::erase_if(lines, [&](TaskLine& use) {
      if (use.line != last) {
        last = use.line;
        kept = 0xff;
        for_objects_of(last, [&](std::uint32_t object, std::uint8_t words) {
          if (recording.objects[object].kind == trace::ObjectKind::stack)
            kept = static_cast<std::uint8_t>(kept & ~words);
        });
      }
      use.words &= kept;
      loop.stack_lines += use.words == 0 ? 1 : 0;
      return use.words == 0;
    });
  }

  /// A loop has tasks that used nothing, too, after the last one that was seen.
  void describe(Loop& loop) const {
    const auto told =
        std::ranges::find(recording.task_loops, loop.recorded.name, &trace::TaskLoop::name);
    RecordedLoop& recorded = loop.recorded;
    recorded.iterations = loop.tasks;
    if (told == recording.task_loops.end() || told->iterations == 0) return;
    const std::uint64_t chunk = std::max<std::uint64_t>(told->chunk, 1);
    const std::uint64_t tasks = told->iterations / chunk + (told->iterations % chunk != 0 ? 1 : 0);
    if (tasks < loop.tasks || tasks >= kMaxTasks) return;  // it is another loop's shape
    recorded.iterations = told->iterations;
    recorded.chunk = chunk;
    recorded.fingerprint = told->fingerprint;
    loop.tasks = static_cast<std::uint32_t>(tasks);
  }

  [[nodiscard]] std::vector<WrittenByTasks> written_by(std::span<const TaskLine> lines) const {
    std::map<std::uint32_t, std::uint64_t> words_of;
    for (std::size_t begin = 0, end = 0; begin < lines.size(); begin = end) {
      std::uint8_t once = 0, often = 0;  // words used by tasks that write to the line
      for (; end < lines.size() && lines[end].line == lines[begin].line; ++end) {
        if (lines[end].is_written == 0) continue;
        often = static_cast<std::uint8_t>(often | (once & lines[end].words));
        once = static_cast<std::uint8_t>(once | lines[end].words);
      }
      if (often == 0) continue;
      for_objects_of(lines[begin].line, [&](std::uint32_t object, std::uint8_t words) {
        if ((often & words) != 0)
          words_of[object] +=
              static_cast<unsigned>(std::popcount(static_cast<std::uint8_t>(often & words)));
      });
    }
    std::vector<WrittenByTasks> written;
    written.reserve(words_of.size());
    for (const auto& [object, words] : words_of) written.push_back({object, words});
    std::ranges::stable_sort(written, std::ranges::greater{}, &WrittenByTasks::words);
    return written;
  }

  RecordOptions options;
  std::uint64_t lines_left = 0;  ///< that memory has room for
  std::vector<std::unique_ptr<Loop>> loops;
  Loop* last_loop = nullptr;
  std::unordered_map<std::uint32_t, Present> present;  ///< of each thread, with lines_of_task
  std::map<std::pair<std::uint32_t, std::uint64_t>, PageObjects> objects;
  trace::Recording recording;
};

RecordTasks::RecordTasks(const RecordOptions& options) : state_(std::make_unique<State>()) {
  state_->options = options;
  const std::uint64_t bytes =
      options.memory_bytes != 0 ? options.memory_bytes : quarter_of_memory();
  // Sorted, 16 bytes a line are joined by locations and tasks of both directions.
  state_->lines_left = bytes / (2 * sizeof(TaskLine));
}

RecordTasks::~RecordTasks() = default;

void RecordTasks::task(const trace::TaskUses& uses) {
  State& state = *state_;
  if (state.last_loop == nullptr || state.last_loop->recorded.name != uses.loop)
    state.last_loop = &state.loop_called(uses.loop);
  State::Loop& loop = *state.last_loop;
  if (uses.number >= kMaxTasks) {
    ++loop.recorded.tasks_without_number;
    return;
  }
  const auto task = static_cast<std::uint32_t>(uses.number);
  loop.tasks = std::max(loop.tasks, task + 1);
  std::uint64_t room = std::min<std::uint64_t>(uses.lines.size(), state.lines_left);
  if (state.options.lines_of_task != 0) room = std::min(room, state.room_of(loop, uses));
  if (uses.process >= kProcesses) room = 0;
  loop.recorded.lines += uses.lines.size();
  loop.recorded.lost_lines += uses.lines.size() - room;
  state.lines_left -= room;
  for (const trace::LineUse& use : uses.lines.first(room))
    loop.lines.add({.line = std::uint64_t{uses.process} << kLineBits | use.line,
                    .words = use.words,
                    .is_written = use.is_written ? 1U : 0U,
                    .task = task});
}

void RecordTasks::page(const trace::PageAccesses& page) {
  state_->objects.emplace(std::pair(page.process, page.page),
                          PageObjects(page.objects.begin(), page.objects.end()));
}

void RecordTasks::end(const trace::Recording& recording) {
  state_->recording = recording;
}

std::vector<RecordedLoop> RecordTasks::take() {
  std::vector<RecordedLoop> loops;
  for (const auto& loop : state_->loops) {
    std::vector<TaskLine> lines = loop->lines.take_sorted();
    state_->leave_out_stacks(lines, loop->recorded);
    loop->recorded.written = state_->written_by(lines);
    const Locations locations = locations_of(lines, state_->options.by);
    lines = {};
    state_->describe(*loop);
    loop->recorded.uses = by_task(locations, loop->tasks);
    loop->recorded.weights = locations.weights;
    loops.push_back(std::move(loop->recorded));
  }
  state_->loops.clear();
  state_->last_loop = nullptr;
  return loops;
}

const trace::Recording& RecordTasks::recording() const {
  return state_->recording;
}

}  // namespace Atoll::affinity
