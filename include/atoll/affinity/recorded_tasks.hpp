// Tasks that a program marked (trace/marks.h) and that were recorded: what each uses, by loop, as
// the partitioner takes it [affinity §2].
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "atoll/plan/affinity_graph.hpp"
#include "atoll/trace/recording.hpp"

namespace Atoll::affinity {

/// What counts as one location. Words are right for data that will be packed in the tasks' order;
/// lines and pages for data that stays where it is.
enum class LocationSize { word, line, page };

/// How much is kept of what tasks use.
struct RecordOptions {
  LocationSize by = LocationSize::word;
  /// Memory for what is recorded, in bytes; 0: a quarter of this computer's. Lines of tasks beyond
  /// it are lost, and counted.
  std::uint64_t memory_bytes = 0;
  /// A task with more lines keeps the first so many [affinity §2.1]; 0: all.
  std::uint32_t lines_of_task = 0;
  /// How many times a location counts that a task writes to: another thread's write costs more than
  /// its read. From 1 to 2^16.
  std::uint32_t write_weight = 1;
};

/// An object, and how many of its 8-byte words tasks use in some way.
struct ObjectWords {
  std::uint32_t object = 0;  ///< of the recording
  std::uint64_t words = 0;
  friend bool operator==(const ObjectWords&, const ObjectWords&) = default;
};

/// One loop.
struct RecordedLoop {
  std::string name;
  /// As the program told of the loop; else an iteration for each task, up to the last one seen.
  std::uint64_t iterations = 0, chunk = 1, fingerprint = 0;
  /// A location is a range of words (lines, pages) that the same tasks use.
  TaskLocations uses;
  std::vector<std::uint32_t> sizes;  ///< words (lines, pages) of each location
  /// The same, or with write_weight more. Of words, 0 for those of arrays that are indexed by the
  /// task, in which small elements of neighbouring tasks lie.
  std::vector<std::uint32_t> weights;
  std::uint32_t location_bytes = 8;  ///< of a word, line or page
  /// Words that several tasks write to, perhaps at once, and not by atomic operations. Most words
  /// first, as in `own`.
  std::vector<ObjectWords> written;
  std::vector<ObjectWords> own;  ///< words that one task alone uses: a program can pack them
  std::uint64_t lines = 0;       ///< pairs of a task and a line that were recorded
  std::uint64_t lost_lines = 0;  ///< for want of memory, or beyond lines_of_task
  /// Of threads' stacks, and of memory that is no object's, which don't count.
  std::uint64_t own_lines = 0;
  /// Threads that were the first to run one of the tasks: those of the program, also if it makes
  /// new threads each time that the loop runs.
  std::uint32_t threads = 0;
  std::uint64_t tasks_without_number = 0;  ///< whose number is 2^32 - 2 or more: lost
};

/// When tasks came, in seconds since the recording began, to within a tick of the system's clock (4
/// ms mostly); before the first one the program starts and sets up.
struct TaskTimes {
  double first = 0, last = 0;
};

/// Collects tasks while watch() runs a program with WatchOptions::tasks.
class RecordTasks : public trace::Consumer {
 public:
  explicit RecordTasks(const RecordOptions& options = {});
  ~RecordTasks() override;
  void task(const trace::TaskUses& uses) override;
  bool knows(const trace::TaskPart& part) override;
  void page(const trace::PageAccesses& page) override;
  void end(const trace::Recording& recording) override;

  /// Once the program has ended: its loops, in the order in which they were first seen.
  [[nodiscard]] std::vector<RecordedLoop> take();
  [[nodiscard]] const trace::Recording& recording() const;
  /// Since this was made, which is when the program is started.
  [[nodiscard]] TaskTimes task_times() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace Atoll::affinity
