// What `atoll profile` and `atoll trace` have in common: what to watch, and how.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "atoll/options/command.hpp"

#include "atoll/trace/watch.hpp"

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
  std::string check;  ///< a file to check instead
};

/// Accepts the front ends' names and auto.
[[nodiscard]] options::Check is_frontend();
/// Adds the options that say how to record. `frontends` are those that the verb can take, for its
/// help.
void add_recording_options(options::Command verb, WatchWords& words, const std::string& frontends);
/// Adds these and the command: `command` if it follows "--", else a list of words. `frontends` are
/// those that the verb can take, for its help.
void add_watch_options(options::Command verb, WatchWords& words, const std::string& frontends,
                       const std::optional<std::vector<std::string>>& command);
/// Returns the options' meaning. Throws Error (input) for words that have none.
[[nodiscard]] trace::WatchOptions watch_options(const WatchWords& words);

/// Prints a line if a signal ended the program, as shells and `perf stat` do, since `atoll` itself
/// then exits with a code.
void tell_signal(const WatchWords& words, int status);

/// Prints what is wrong with a file that was checked, a line each; if anything is, throws Error
/// (input).
void tell_what_is_wrong(const std::string& path, const std::vector<std::string>& wrong);

inline constexpr std::string_view kWatchHelp =
    "Front ends (--frontend auto takes the first that can watch the program):\n"
    "  compiled  programs compiled with atollcc or atollc++ (1.5 to 12 times native)\n"
    "  gcc       programs compiled with atollgcc or atollg++ (2 to 20 times)\n"
    "  dbi       any program as it is, in qemu's emulator (5 to 100 times)\n";

}  // namespace Atoll::cli
