// Runs a command, watched, and hands what it does to a consumer. docs/recording-library.md says how
// a program of your own does that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atoll/trace/recording.hpp"

/// Where the parts of Atoll are that run inside watched programs. The installed package defines it,
/// for CMake and pkg-config.
#ifndef ATOLL_LIBRARIES
#define ATOLL_LIBRARIES ""
#endif

namespace Atoll::trace {

/// What to watch, and how.
struct WatchOptions {
  /// A program, by its path or as $PATH has it, and its arguments.
  std::vector<std::string> command = {};
  std::optional<Frontend> frontend = {};  ///< none: the best one that can watch the program
  /// False: counts. The consumer gets begin, page and end when the program has ended. True:
  /// streams. It gets begin when the program starts, with how it is watched; accesses, loops and
  /// events while it runs; and end with everything.
  bool streams = false;
  /// The lines that each task uses (atoll_mark_task_begin in trace/marks.h), and no counts. The
  /// consumer gets begin; task while the program runs; page, with objects alone; and end.
  bool tasks = false;
  /// Not "": streams are stored in this file, which is there when the program has ended; the
  /// consumer gets begin and end alone, afterwards. read_stream() reads it.
  std::string stream_file = {};
  /// Of streams: work between accesses, dependence and atomic accesses, as far as the front end
  /// sees them (Recording::contents); what threads wait for; and the calls by which the program
  /// places memory and threads (Consumer::wait, Consumer::place).
  bool timed = false;
  /// Memory for recording, in bytes; 0: a quarter of this computer's. If it is short, pages are
  /// recorded without lines (Recording::losses); streams make the program wait.
  std::uint64_t memory_bytes = 0;
  double page_share = 1;            ///< of counts: the share of all pages that is recorded
  double after_seconds = 0;         ///< recording begins so long after the start
  bool only_between_marks = false;  ///< of atoll_mark_begin() and atoll_mark_end()
  std::uint64_t iterations = 0;     ///< only the first ones of the marked loop; 0: all
  /// The cache that each thread is taken to have for itself, in bytes: what stays in it is no
  /// traffic. 0: the L2 of this computer.
  std::uint64_t cache_bytes = 0;
  /// The share of the program's processor time that Frontend::sample may take.
  double sampling_share = 0.02;
  /// Libraries of the folder below that are preloaded, too; and variables of the program's.
  std::vector<std::string> preload = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
  bool native_too = false;  ///< if true, the command first runs alone (Recording::native_seconds)
  /// The folder lib/atoll of the installed tree. Not used if it is beside this program, as it is
  /// for `atoll` itself.
  std::string libraries = ATOLL_LIBRARIES;
};

/// Runs the command until it and all processes that it started have ended. The consumer is called
/// by this thread; with streams and StreamWishes::at_once above 1, by others too. Returns the
/// command's status, as waitpid has it (<sys/wait.h>). Throws Error (input) if the command can't be
/// executed or watched, Error (failed) if nothing of it was recorded. What the program itself does
/// wrong is no error of this function: the recording has it. If the consumer throws, the program
/// goes on unwatched, and the exception is thrown again once it has ended.
///
/// One thread at a time may watch: meanwhile signals that end a program are passed on to it, and
/// this process is the parent of its orphans.
int watch(const WatchOptions& options, Consumer& consumer);

}  // namespace Atoll::trace
