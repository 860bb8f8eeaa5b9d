// `atoll run --policy kmaf`: a command whose pages are moved, while it runs, to the nodes whose
// threads access them, and whose threads to those they communicate with [hashsieve §VI.A.2].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace Atoll::trace {

/// What the migrator did.
struct Migrated {
  int status = 0;                ///< of the command, as from waitpid
  std::uint64_t samples = 0;     ///< page faults
  std::uint64_t pages = 0;       ///< with samples
  std::uint64_t moved = 0;       ///< times a page was moved
  std::uint64_t refused = 0;     ///< times the system didn't move one: no room, or it is in use
  std::uint64_t bound = 0;       ///< times a thread was bound to a node
  std::uint64_t left_alone = 0;  ///< processes whose threads weren't, as they bind some themselves
};

/// Runs the command until it ends. Throws Error (input) where it can't be executed, Error (failed)
/// where page faults can't be sampled.
Migrated migrate(const std::vector<std::string>& command);

/// The same, told in a note, for `atoll run`; the command's status.
int run_with_kmaf(const std::vector<std::string>& command);

}  // namespace Atoll::trace
