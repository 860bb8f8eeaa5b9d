// Implements `atoll run --policy kmaf`. While a command runs, pages are moved to the nodes whose
// threads access them, and threads to the nodes of the threads that they communicate with
// [hashsieve §VI.A.2].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace Atoll::apply {

/// Results of the migration.
struct Migrated {
  int status = 0;                  ///< wait status of the command, as from waitpid
  bool watched = false;            ///< false if the library could not be preloaded
  std::uint64_t samples = 0;       ///< number of sampled page faults
  std::uint64_t pages = 0;         ///< number of pages with samples
  std::uint64_t moved = 0;         ///< number of page moves
  std::uint64_t refused = 0;       ///< number of refused moves: no room, or the page was in use
  std::uint64_t bound = 0;         ///< number of times that a thread was bound to a node
  std::uint64_t binds_itself = 0;  ///< number of processes that bind their threads themselves
};

/// Runs the command until it ends. Throws Error (input) if the command can't be executed, Error
/// (failed) if page faults can't be sampled.
Migrated migrate(const std::vector<std::string>& command);

/// Calls migrate() for `atoll run`, and prints a note with the results. Returns the command's wait
/// status.
int run_with_kmaf(const std::vector<std::string>& command);

}  // namespace Atoll::apply
