// Runs a command under observation and passes its recording to a consumer.
// docs/recording-library.md describes the use in other programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atoll/recording/recording.hpp"

/// Folder of Atoll's libraries that are loaded into watched programs. The CMake and pkg-config
/// files of the installed package define it.
#ifndef ATOLL_LIBRARIES
#define ATOLL_LIBRARIES ""
#endif

namespace Atoll::recording {

/// Command and scope of a recording.
struct WatchOptions {
  /// Program, as a path or a name to be found in $PATH, and its arguments.
  std::vector<std::string> command = {};
  std::optional<FrontendName> frontend = {};  ///< none: the best one that can watch the program
  /// False: counts. The consumer gets begin, page and end after the program has ended. True:
  /// streams. The consumer gets begin when the program starts, with the front end and its limits;
  /// accesses, loops and events while the program runs; and end with the complete recording.
  bool streams = false;
  /// Records the lines that each task uses (atoll_mark_task_begin in trace/marks.h) instead of
  /// counts. The consumer gets begin; task while the program runs; page, with objects only; and
  /// end.
  bool tasks = false;
  /// If not empty, streams are stored in this file, which is complete when watch() returns. The
  /// consumer gets only begin and end, after the program has ended. read_stream() reads the file.
  std::string stream_file = {};
  /// Adds to streams: work between accesses, dependence and atomic accesses, as far as the front
  /// end observes them (Recording::contents); waits of threads; and calls by which the program
  /// places memory and threads (Consumer::wait, Consumer::place).
  bool timed = false;
  /// Memory for recording, in bytes; 0: a quarter of this computer's. If it runs short, pages are
  /// recorded without lines (Recording::losses), and threads block while their streams' rings are
  /// full.
  std::uint64_t memory_bytes = 0;
  double page_share = 1;            ///< counts only: share of all pages that is recorded, 0 to 1
  double after_seconds = 0;         ///< recording begins this long after the start
  bool only_between_marks = false;  ///< between atoll_mark_begin() and atoll_mark_end()
  std::uint64_t iterations = 0;  ///< records only the first iterations of the marked loop; 0: all
  /// Size in bytes of a private cache that each thread is assumed to have; hits in it are no
  /// traffic. 0: the size of this computer's L2.
  std::uint64_t cache_bytes = 0;
  /// Share of the program's processor time that sampling may use, 0 to 1.
  double sampling_share = 0.02;
  /// Libraries in the folder `libraries` to preload additionally, and variables to add to the
  /// program's environment.
  std::vector<std::string> preload = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
  bool native_too = false;  ///< if true, the command first runs alone (Recording::native_seconds)
  /// Folder lib/atoll of the installed tree. Ignored if the folder is next to this program's
  /// executable, as it is for `atoll` itself.
  std::string libraries = ATOLL_LIBRARIES;
};

/// Runs the command until it and all processes that it started have ended. This thread calls the
/// consumer; with streams and StreamWishes::at_once above 1, other threads do too. Returns the
/// command's status, as from waitpid() (<sys/wait.h>). Throws Error (input) if the command can't be
/// executed or watched, Error (failed) if nothing of it was recorded. Failures of the program
/// itself are not errors of this function; the recording has them. If the consumer throws, the
/// program continues unwatched, and the exception is rethrown after its end.
///
/// Only one thread at a time may call it. During the call, signals that would end this process are
/// forwarded to the program, and this process is the parent (subreaper) of the program's orphans.
int watch(const WatchOptions& options, Consumer& consumer);

}  // namespace Atoll::recording
