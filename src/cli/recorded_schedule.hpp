// Makes schedules from recorded tasks, for `atoll schedule` with a command or with a trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include "atoll/options/command.hpp"

#include "atoll/affinity/recorded_tasks.hpp"

namespace Atoll::cli {

/// Options for making a schedule from recorded tasks, as given on the command line.
struct RecordedOptions {
  std::string by = "word";
  double dense_ratio = 0.9;
  std::uint32_t max_sharers = 0;
  std::uint32_t lines_of_task = 0;
  std::uint32_t write_weight = 1;
  std::string output, dot, metis, machine;
  std::string loop;  ///< the loop whose graph is written
  int threads = 0;
  std::uint32_t seed = 0;
  int trials = 0;  ///< number of runs with and without a command's schedule, to measure its gain
  bool json = false;
  bool kernel_threads = false;  ///< maps the program's own threads instead of its tasks
};

/// Adds the options that define sharing: --by, --dense-ratio and so on.
void add_sharing_options(options::Command verb, RecordedOptions& options);
/// Adds the options for outputs and threads.
void add_schedule_options(options::Command verb, RecordedOptions& options);

/// Returns the progress line for dividing tasks among threads, with the partitioners that run.
[[nodiscard]] std::string partitioning_text(std::uint64_t tasks, std::uint64_t threads);

[[nodiscard]] affinity::RecordOptions record_options(const RecordedOptions& options,
                                                     std::uint64_t memory_bytes);
/// Throws Error unless at least one output is named, each output can be written, and none is the
/// same file as another output, one of `inputs` or the machine's file. Called before the recording,
/// so that the recording isn't lost.
void check_outputs(const RecordedOptions& options, std::vector<std::string> inputs);
/// Schedules all loops, writes the requested outputs, and prints a summary. `source` is the name of
/// the program or trace. Throws Error (input) if there is no loop. If `command` isn't empty,
/// measures the schedule's gain with it.
void schedule_tasks_of(affinity::RecordTasks& tasks, const std::string& source,
                       const RecordedOptions& options,
                       const std::vector<std::string>& command = {});

}  // namespace Atoll::cli
