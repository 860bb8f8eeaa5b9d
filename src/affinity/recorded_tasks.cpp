#include "atoll/affinity/recorded_tasks.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "affinity/known_parts.hpp"
#include "affinity/locations.hpp"
#include "affinity/task_lines.hpp"

namespace Atoll::affinity {
namespace {

constexpr std::uint32_t kMaxTasks = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr int kLineBits = 42;             // bits of a line's number: addresses have 48 bits
constexpr std::uint32_t kProcesses = 16;  ///< the process's number is stored above these bits

std::uint64_t quarter_of_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 4;
}

/// Returns the time in seconds. Called for each task; CLOCK_MONOTONIC would take as long as all
/// other work per task.
double seconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The objects of one page's lines.
using PageObjects = std::vector<recording::ObjectLines>;

std::uint32_t bytes_of(LocationSize size) {
  if (size == LocationSize::word) return 8;
  return recording::kLineBytes * (size == LocationSize::line ? 1 : recording::kLinesOfPage);
}

constexpr std::uint32_t kFewGroups = 8;

/// Sets the weight of falsely shared words to 0. In an array that is indexed by the task, a word
/// contains small elements of 2, 4 or 8 consecutive tasks, and nearly all such groups of the loop
/// occur. The tasks don't share these elements: the program packs such arrays in the order of the
/// tasks.
void ignore_falsely_shared_words(RecordedLoop& loop) {
  struct Users {
    std::uint32_t first = 0, count = 0;
    bool are_neighbours = true;
  };
  std::vector<Users> users(loop.uses.location_count);
  for (std::uint32_t task = 0; task < loop.uses.tasks(); ++task)
    for (std::uint64_t at = loop.uses.begin[task]; at < loop.uses.begin[task + 1]; ++at) {
      Users& of = users[loop.uses.locations[at]];
      if (of.count == 0) of.first = task;
      of.are_neighbours &= task == of.first + of.count;
      ++of.count;
    }
  for (const std::uint32_t size : {2U, 4U, 8U}) {
    const auto is_of_group = [&](std::size_t location) {
      const Users& of = users[location];
      return of.are_neighbours && of.count == size && loop.sizes[location] == 1;
    };
    std::vector<bool> seen(loop.uses.tasks() / size + 1);
    std::uint32_t shift = size, groups = 0;
    bool are_apart = true;
    for (std::size_t location = 0; location < users.size() && are_apart; ++location) {
      if (!is_of_group(location)) continue;
      if (shift == size) shift = users[location].first % size;
      are_apart = users[location].first % size == shift;
      groups += seen[users[location].first / size] ? 0 : 1;
      seen[users[location].first / size] = true;
    }
    if (!are_apart || groups < kFewGroups || groups < loop.uses.tasks() / size / 10 * 9) continue;
    for (std::size_t location = 0; location < users.size(); ++location)
      if (is_of_group(location)) loop.weights[location] = 0;
  }
}

}  // namespace

struct RecordTasks::State {
  struct Loop {
    RecordedLoop recorded;
    TaskLines lines;
    KnownParts known;  ///< parts of tasks that are in `lines`
    void see(std::uint32_t task, std::uint32_t thread) {
      if (seen.size() <= task) seen.resize(std::max<std::size_t>(task + 1, 2 * seen.size()));
      if (seen[task]) return;
      seen[task] = true;
      first_runs.insert(thread);
    }

    std::uint64_t compact_lines = 0;  ///< size of `lines` after its last compaction
    std::uint32_t tasks = 0;
    std::vector<bool> seen;              ///< by task
    std::set<std::uint32_t> first_runs;  ///< threads that were the first to run some task
  };

  /// A thread's current task, and the number of its lines so far.
  struct Present {
    const Loop* loop = nullptr;
    std::uint64_t number = 0;
    std::uint64_t lines = 0;
  };

  /// Returns the loop of the part that is being recorded, and notes the time.
  Loop& loop_now(std::string_view name) {
    last_task = seconds_now();
    if (first_task == made) first_task = last_task;
    if (last_loop == nullptr || last_loop->recorded.name != name) last_loop = &loop_called(name);
    return *last_loop;
  }

  Loop& loop_called(std::string_view name) {
    const auto is = [&](const auto& loop) { return loop->recorded.name == name; };
    const auto found = std::ranges::find_if(loops, is);
    if (found != loops.end()) return **found;
    loops.push_back(std::make_unique<Loop>());
    loops.back()->recorded.name = name;
    return *loops.back();
  }

  /// Returns the number of lines of this part of a task that lines_of_task permits.
  std::uint64_t room_of(const Loop& loop, const recording::TaskUses& uses) {
    Present& task = present[uses.thread];
    if (task.loop != &loop || task.number != uses.number) task = {&loop, uses.number, 0};
    const std::uint64_t left =
        options.lines_of_task - std::min<std::uint64_t>(task.lines, options.lines_of_task);
    task.lines += uses.lines.size();
    return left;
  }

  /// Frees memory by joining the duplicate lines of loops that have run repeatedly.
  void make_room() {
    for (const auto& loop : loops) {
      // Compaction takes more time than it saves until the lines have grown by a quarter.
      if (4 * loop->lines.size() < 5 * loop->compact_lines) continue;
      lines_left += loop->lines.compact();
      loop->compact_lines = loop->lines.size();
    }
  }

  /// Calls found(object, words) for each object of a line, with its words in the line.
  template <class Found>
  void for_objects_of(std::uint64_t line, Found&& found) const {
    const auto process = static_cast<std::uint32_t>(line >> kLineBits);
    const std::uint64_t address = line & ((std::uint64_t{1} << kLineBits) - 1);
    const auto page = objects.find({process, address / recording::kLinesOfPage});
    if (page == objects.end()) return;
    const auto here = static_cast<std::uint8_t>(address % recording::kLinesOfPage);
    for (const recording::ObjectLines& lines : page->second)
      if (lines.first_line <= here && here < lines.end_line && lines.object != recording::kNone)
        found(lines.object, lines.words);
  }

  /// Removes words of threads' stacks and of memory without an object, such as libraries' data. All
  /// tasks of a thread use them, so they aren't sharing between tasks.
  void remove_private_words(std::vector<TaskLine>& lines, RecordedLoop& loop) const {
    std::uint64_t last = ~std::uint64_t{0};
    std::uint8_t kept = 0xff;
    std::erase_if(lines, [&](TaskLine& use) {
      if (use.line != last) {
        last = use.line;
        std::uint8_t others = 0, own = 0;
        for_objects_of(last, [&](std::uint32_t object, std::uint8_t words) {
          const recording::ObjectKind kind = recording.objects[object].kind;
          const bool is_own =
              kind == recording::ObjectKind::stack || kind == recording::ObjectKind::other;
          std::uint8_t& of = is_own ? own : others;
          of = static_cast<std::uint8_t>(of | words);
        });
        kept = static_cast<std::uint8_t>(others | ~own);
      }
      use.plain &= kept;
      use.written &= kept;
      loop.own_lines += use.used() == 0 ? 1 : 0;
      return use.used() == 0;
    });
  }

  /// Takes the loop's description from the recording. It may have more tasks than were seen,
  /// because the last tasks may have used no location.
  void describe(Loop& loop) const {
    const auto told =
        std::ranges::find(recording.task_loops, loop.recorded.name, &recording::TaskLoop::name);
    RecordedLoop& recorded = loop.recorded;
    recorded.iterations = loop.tasks;
    if (told == recording.task_loops.end() || told->iterations == 0) return;
    const std::uint64_t chunk = std::max<std::uint64_t>(told->chunk, 1);
    const std::uint64_t tasks = told->iterations / chunk + (told->iterations % chunk != 0 ? 1 : 0);
    if (tasks < loop.tasks || tasks >= kMaxTasks) return;  // describes a loop of another shape
    recorded.iterations = told->iterations;
    recorded.chunk = chunk;
    recorded.fingerprint = told->fingerprint;
    loop.tasks = static_cast<std::uint32_t>(tasks);
  }

  /// Returns the line's words that are entirely in a reduction variable.
  [[nodiscard]] std::uint8_t reduced_words(std::uint64_t line) const {
    const auto process = static_cast<std::uint32_t>(line >> kLineBits);
    const std::uint64_t begin =
        (line & ((std::uint64_t{1} << kLineBits) - 1)) * recording::kLineBytes;
    std::uint8_t words = 0;
    for (const recording::Reduction& reduction : recording.reductions)
      for (std::uint64_t word = 0; word < 8 && reduction.process == process; ++word)
        if (reduction.begin <= begin + 8 * word && begin + 8 * word + 8 <= reduction.end)
          words = static_cast<std::uint8_t>(words | std::uint64_t{1} << word);
    return words;
  }

  /// Calls found(line, once, often) for each line. `once` are the words that some task uses as
  /// `words_of` selects; `often` are those that several tasks use so.
  template <class Words, class Found>
  static void for_lines(std::span<const TaskLine> lines, Words&& words_of, Found&& found) {
    for (std::size_t begin = 0, end = 0; begin < lines.size(); begin = end) {
      std::uint8_t once = 0, often = 0;
      for (; end < lines.size() && lines[end].line == lines[begin].line; ++end) {
        const std::uint8_t words = words_of(lines[end]);
        often = static_cast<std::uint8_t>(often | (once & words));
        once = static_cast<std::uint8_t>(once | words);
      }
      found(lines[begin].line, once, often);
    }
  }

  /// Adds the number of the line's words to the counts of their objects.
  void add_words(std::uint64_t line, std::uint8_t words,
                 std::map<std::uint32_t, std::uint64_t>& words_of) const {
    if (words == 0) return;
    for_objects_of(line, [&](std::uint32_t object, std::uint8_t of_object) {
      const auto common = static_cast<std::uint8_t>(words & of_object);
      if (common != 0) words_of[object] += static_cast<unsigned>(std::popcount(common));
    });
  }

  static std::vector<ObjectWords> most_first(
      const std::map<std::uint32_t, std::uint64_t>& words_of) {
    std::vector<ObjectWords> all;
    all.reserve(words_of.size());
    for (const auto& [object, words] : words_of) all.push_back({object, words});
    std::ranges::stable_sort(all, std::ranges::greater{}, &ObjectWords::words);
    return all;
  }

  [[nodiscard]] std::vector<ObjectWords> written_by(std::span<const TaskLine> lines) const {
    std::map<std::uint32_t, std::uint64_t> words_of;
    for_lines(
        lines, [](const TaskLine& use) { return use.plainly_written(); },
        [&](std::uint64_t line, std::uint8_t /*once*/, std::uint8_t often) {
          add_words(line, static_cast<std::uint8_t>(often & ~reduced_words(line)), words_of);
        });
    return most_first(words_of);
  }

  [[nodiscard]] std::vector<ObjectWords> own_of(std::span<const TaskLine> lines) const {
    std::map<std::uint32_t, std::uint64_t> words_of;
    for_lines(
        lines, [](const TaskLine& use) { return use.used(); },
        [&](std::uint64_t line, std::uint8_t once, std::uint8_t often) {
          add_words(line, static_cast<std::uint8_t>(once & ~often), words_of);
        });
    return most_first(words_of);
  }

  RecordOptions options;
  std::uint64_t lines_left = 0;  ///< number of lines that fit into the remaining memory
  std::vector<std::unique_ptr<Loop>> loops;
  Loop* last_loop = nullptr;
  std::unordered_map<std::uint32_t, Present> present;  ///< by thread; used with lines_of_task
  std::map<std::pair<std::uint32_t, std::uint64_t>, PageObjects> objects;
  recording::Recording recording;
  double made = seconds_now(), first_task = made, last_task = made;
};

RecordTasks::RecordTasks(const RecordOptions& options) : state_(std::make_unique<State>()) {
  state_->options = options;
  const std::uint64_t bytes =
      options.memory_bytes != 0 ? options.memory_bytes : quarter_of_memory();
  // Half of the memory: sorted lines exist at the same time as locations in both directions.
  state_->lines_left = bytes / (2 * sizeof(TaskLine));
}

RecordTasks::~RecordTasks() = default;

void RecordTasks::task(const recording::TaskUses& uses) {
  State& state = *state_;
  State::Loop& loop = state.loop_now(uses.loop);
  if (uses.number >= kMaxTasks) {
    ++loop.recorded.tasks_without_number;
    return;
  }
  const auto task = static_cast<std::uint32_t>(uses.number);
  loop.tasks = std::max(loop.tasks, task + 1);
  loop.see(task, uses.thread);
  const bool is_limited = state.options.lines_of_task != 0;
  if (state.lines_left < uses.lines.size()) state.make_room();
  std::uint64_t room = std::min<std::uint64_t>(uses.lines.size(), state.lines_left);
  if (is_limited) room = std::min(room, state.room_of(loop, uses));
  if (uses.process >= kProcesses) room = 0;
  loop.recorded.lines += uses.lines.size();
  loop.recorded.lost_lines += uses.lines.size() - room;
  state.lines_left -= room;
  if (!is_limited && room == uses.lines.size()) loop.known.add(uses.hash);
  for (const recording::LineUse& use : uses.lines.first(room)) {
    const auto written = static_cast<std::uint8_t>(use.written | use.atomic);
    loop.lines.add({.line = std::uint64_t{uses.process} << kLineBits | use.line,
                    .plain = static_cast<std::uint8_t>((use.read & ~written) | use.written),
                    .written = written,
                    .task = task});
  }
}

bool RecordTasks::knows(const recording::TaskPart& part) {
  if (state_->options.lines_of_task != 0) return false;
  State::Loop& loop = state_->loop_now(part.loop);
  if (!loop.known.contains(part.hash)) return false;
  loop.recorded.lines += part.lines;
  return true;
}

void RecordTasks::page(const recording::PageAccesses& page) {
  state_->objects.emplace(std::pair(page.process, page.page),
                          PageObjects(page.objects.begin(), page.objects.end()));
}

void RecordTasks::end(const recording::Recording& recording) {
  state_->recording = recording;
}

std::vector<RecordedLoop> RecordTasks::take() {
  std::vector<RecordedLoop> loops;
  for (const auto& loop : state_->loops) {
    std::vector<TaskLine> lines = loop->lines.take_sorted();
    state_->remove_private_words(lines, loop->recorded);
    loop->recorded.written = state_->written_by(lines);
    loop->recorded.own = state_->own_of(lines);
    loop->recorded.threads = static_cast<std::uint32_t>(loop->first_runs.size());
    Locations locations = locations_of(lines, state_->options.by, state_->options.write_weight);
    lines = {};
    state_->describe(*loop);
    loop->recorded.uses = by_task(locations, loop->tasks);
    loop->recorded.sizes = std::move(locations.sizes);
    loop->recorded.weights = std::move(locations.weights);
    if (state_->options.by == LocationSize::word) ignore_falsely_shared_words(loop->recorded);
    loop->recorded.location_bytes = bytes_of(state_->options.by);
    loops.push_back(std::move(loop->recorded));
  }
  state_->loops.clear();
  state_->last_loop = nullptr;
  return loops;
}

const recording::Recording& RecordTasks::recording() const {
  return state_->recording;
}

TaskTimes RecordTasks::task_times() const {
  return {state_->first_task - state_->made, state_->last_task - state_->made};
}

}  // namespace Atoll::affinity
