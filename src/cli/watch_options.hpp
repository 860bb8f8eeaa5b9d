// Common options of `atoll profile` and `atoll trace`: the command to watch, and the way to record
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "atoll/options/command.hpp"

#include "atoll/base/json.hpp"
#include "atoll/recording/watch.hpp"

namespace Atoll::cli {

/// The options as given on the command line.
struct WatchWords {
  std::vector<std::string> command;
  std::string frontend = "auto";
  std::string memory;
  double pages_percent = 100;
  double after_seconds = 0;
  std::uint64_t iterations = 0;
  bool between_marks = false;
  bool native = false;
  std::string check;  ///< a file to check instead of watching a command
};

/// Front ends that a verb supports.
enum class Frontends {
  all,
  recording_every_access,  ///< without those that sample pages
};
/// Adds the option --frontend.
void add_frontend_option(options::Command verb, WatchWords& words, Frontends frontends);
/// Adds the recording options.
void add_recording_options(options::Command verb, WatchWords& words, Frontends frontends);
/// Adds the recording options and the command: `command` if it follows "--", else a list of words.
void add_watch_options(options::Command verb, WatchWords& words, Frontends frontends,
                       const std::optional<std::vector<std::string>>& command);
/// Returns the paragraph of the help that lists the front ends.
[[nodiscard]] std::string frontends_help(Frontends frontends);
/// Returns true if the options request a front end that samples pages.
[[nodiscard]] bool requests_samples(const recording::WatchOptions& options);
/// Converts the options. Throws Error (input) for invalid words.
[[nodiscard]] recording::WatchOptions watch_options(const WatchWords& words);

/// Prints a line if a signal ended the program, as shells and `perf stat` do; `atoll` itself then
/// exits with a code.
void print_signal(const WatchWords& words, int status);

/// Prints the problems of a checked file, one per line; throws Error (input) if there are any.
void report_problems(const std::string& path, const std::vector<std::string>& wrong);
/// Does the same with --json: prints `result` as one object, with "wrong" and, if there are
/// problems, the parts of error_json(). Throws Told if there are any.
void print_checked(const std::string& path, Json result, const std::vector<std::string>& wrong);

}  // namespace Atoll::cli
