// What `atoll schedule` does with recorded tasks, whether a command was watched or a trace read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include "atoll/options/command.hpp"

#include "atoll/affinity/recorded_tasks.hpp"

namespace Atoll::cli {

/// How recorded tasks become a schedule, as given on the command line.
struct RecordedOptions {
  std::string by = "word";
  double dense_ratio = 0.9;
  std::uint32_t max_sharers = 0;
  std::uint32_t lines_of_task = 0;
  std::uint32_t write_weight = 1;
  std::string output, dot, metis, machine;
  std::string loop;  ///< whose graph is written
  int threads = 0;
  std::uint32_t seed = 0;
  int trials = 0;  ///< runs each way in which a command's schedule is tried
  bool json = false;
  bool kernel_threads = false;  ///< the program's own threads are mapped, not its tasks
};

/// Adds what says what counts as shared: --by, --dense-ratio and so on.
void add_sharing_options(options::Command verb, RecordedOptions& options);
/// Adds what says what is written, and for which threads.
void add_schedule_options(options::Command verb, RecordedOptions& options);

[[nodiscard]] affinity::RecordOptions record_options(const RecordedOptions& options,
                                                     std::uint64_t memory_bytes);
/// Throws Error unless an output is named, all named outputs can be written, and none is the same
/// file as another one, as one of `inputs` or as the machine's file. It runs before the recording,
/// whose work would be lost.
void check_outputs(const RecordedOptions& options, std::vector<std::string> inputs);
/// Schedules all loops, writes what was asked for, and prints. `source` names the program or the
/// trace. Throws Error (input) if there is no loop. If it is a `command`, its schedule is tried.
void schedule_tasks_of(affinity::RecordTasks& tasks, const std::string& source,
                       const RecordedOptions& options,
                       const std::vector<std::string>& command = {});

}  // namespace Atoll::cli
