// Builds the command line that runs a program in qemu with the plugin. `atoll` starts the first
// program with it, and the plugin starts programs that the watched program executes.
#pragma once

#include "record/emulator/program_file.hpp"

namespace Atoll::record::dbi {

/// Plugin argument for a test run: the plugin ends the emulator with kProbed before the program
/// begins. This shows that the emulator can load the plugin.
inline constexpr char kProbe[] = "probe";
inline constexpr int kProbed = 77;

struct Emulator {
  const char* qemu;     ///< path of qemu-x86_64 or, for 32-bit programs, qemu-i386
  const char* plugin;   ///< path of libatoll-dbi.so
  const char* library;  ///< path, as in LD_PRELOAD, of the library that records the program's
                        ///< allocations
  const char* region;   ///< path of the region to record into
};

/// Argument and environment vectors, each terminated by a null.
struct Invocation {
  char** arguments;
  char** environment;
  void* memory;  ///< to be freed by the caller; null: out of memory, the other members are unset.
                 ///< Vectors point to the caller's strings, which aren't copied
};

/// Returns the vectors that run `program` with `arguments` and `environment` (both
/// null-terminated). program.trouble must be Trouble::none.
Invocation invocation(const Emulator& emulator, const ProgramFile& program,
                      const char* const* arguments, const char* const* environment);

/// True if the path can be passed to qemu, which separates options at commas.
bool is_nameable(const char* path);

}  // namespace Atoll::record::dbi
