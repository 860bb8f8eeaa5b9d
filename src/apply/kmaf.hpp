// `atoll run --policy kmaf` runs a command. While it runs, its pages are moved to the nodes whose
// threads access them, and its threads to those that they communicate with [hashsieve §VI.A.2].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace Atoll::apply {

/// What the migrator did.
struct Migrated {
  int status = 0;                ///< of the command, as from waitpid
  bool watched = false;          ///< false: the library could not be preloaded
  std::uint64_t samples = 0;     ///< page faults
  std::uint64_t pages = 0;       ///< with samples
  std::uint64_t moved = 0;       ///< times a page was moved
  std::uint64_t refused = 0;     ///< times the system didn't move one: no room, or it was in use
  std::uint64_t bound = 0;       ///< times a thread was bound to a node
  std::uint64_t left_alone = 0;  ///< processes that bind threads themselves
};

/// Runs the command until it ends. Throws Error (input) if it can't be executed, Error (failed) if
/// page faults can't be sampled.
Migrated migrate(const std::vector<std::string>& command);

/// Does the same for `atoll run`, and notes what was done. Returns the command's status.
int run_with_kmaf(const std::vector<std::string>& command);

}  // namespace Atoll::apply
