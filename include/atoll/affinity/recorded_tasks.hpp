// Recorded tasks, which a program marked (trace/marks.h): the locations that each task uses, by
// loop, as input of the partitioner [affinity §2].
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "atoll/plan/affinity_graph.hpp"
#include "atoll/recording/recording.hpp"

namespace Atoll::affinity {

/// Unit of locations. Words suit data that will be packed in the order of the tasks; lines and
/// pages suit data that keeps its place.
enum class LocationSize { word, line, page };

/// Limits and weights for recording.
struct RecordOptions {
  LocationSize by = LocationSize::word;
  /// Memory for recorded lines, in bytes; 0 means a quarter of this computer's memory. Lines beyond
  /// it are dropped and counted.
  std::uint64_t memory_bytes = 0;
  /// Maximum number of lines per task; further ones are dropped [affinity §2.1]. 0 means no limit.
  std::uint32_t lines_of_task = 0;
  /// Weight of a location that a task writes to, since another thread's write costs more than its
  /// read. From 1 to 2^16.
  std::uint32_t write_weight = 1;
};

/// An object and the number of its 8-byte words that tasks use in some way.
struct ObjectWords {
  std::uint32_t object = 0;  ///< index in the recording's objects
  std::uint64_t words = 0;
  friend bool operator==(const ObjectWords&, const ObjectWords&) = default;
};

/// The recorded tasks of one loop.
struct RecordedLoop {
  std::string name;
  /// As the program reported them for the loop; else one iteration per task, up to the last task
  /// seen.
  std::uint64_t iterations = 0, chunk = 1, fingerprint = 0;
  /// Locations of each task. A location is a range of words (lines, pages) that the same tasks use.
  TaskLocations uses;
  std::vector<std::uint32_t> sizes;  ///< size of each location, in words (lines, pages)
  /// Weight of each location: its size, or up to write_weight times as much. With words, 0 for a
  /// word that contains small elements of consecutive tasks, in an array that is indexed by the
  /// task.
  std::vector<std::uint32_t> weights;
  std::uint32_t location_bytes = 8;  ///< size of a word, line or page, in bytes
  /// Words, by object, that several tasks write to with plain stores, perhaps concurrently. In
  /// descending order of words, as is `own`.
  std::vector<ObjectWords> written;
  std::vector<ObjectWords> own;  ///< words that only one task uses, which a program can pack
  std::uint64_t lines = 0;       ///< number of recorded (task, line) pairs
  std::uint64_t lost_lines = 0;  ///< dropped because of memory_bytes or lines_of_task
  /// Lines of threads' stacks and of memory without an object, which are ignored.
  std::uint64_t own_lines = 0;
  /// Number of threads that were the first to run some task. A program that creates new threads for
  /// each run of the loop has as many as in one run.
  std::uint32_t threads = 0;
  std::uint64_t tasks_without_number = 0;  ///< number of dropped tasks: numbers from 2^32 - 2
};

/// Times of the first and the last task, in seconds since the recording began. The resolution is a
/// tick of the system's clock (usually 4 ms). Before the first task, the program starts and
/// initializes.
struct TaskTimes {
  double first = 0, last = 0;
};

/// Collects tasks while watch() runs a program with WatchOptions::tasks.
class RecordTasks : public recording::Consumer {
 public:
  explicit RecordTasks(const RecordOptions& options = {});
  ~RecordTasks() override;
  void task(const recording::TaskUses& uses) override;
  bool knows(const recording::TaskPart& part) override;
  void page(const recording::PageAccesses& page) override;
  void end(const recording::Recording& recording) override;

  /// Returns the program's loops, in the order in which they were first seen. Call it once, after
  /// the program has ended.
  [[nodiscard]] std::vector<RecordedLoop> take();
  [[nodiscard]] const recording::Recording& recording() const;
  /// Times since this object was constructed, when the program is started.
  [[nodiscard]] TaskTimes task_times() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace Atoll::affinity
