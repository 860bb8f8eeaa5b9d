// The command line that runs a program in qemu with the plugin: for `atoll`, which starts the first
// program, and for the plugin, which starts what the watched program executes.
#pragma once

#include "trace/dbi/program_file.hpp"

namespace Atoll::trace::dbi {

/// The plugin's argument that asks whether this emulator can have it: it then ends the emulator
/// with this exit code before the program begins.
inline constexpr char kProbe[] = "probe";
inline constexpr int kProbed = 77;

struct Emulator {
  const char* qemu;     ///< path of qemu-x86_64 or, for 32-bit programs, qemu-i386
  const char* plugin;   ///< path of libatoll-dbi.so
  const char* library;  ///< path, as LD_PRELOAD has it, of what sees the program's allocations
  const char* region;   ///< path of the region to record into
};

/// The words of a command and its environment, each ending in a null.
struct Invocation {
  char** arguments;
  char** environment;
  void* memory;  ///< to be freed; null: there is none, and nothing of the above. Words that were
                 ///< given are pointed to, not copied
};

/// How to run `program` (without trouble) with `arguments` (ending in a null) and `environment`.
Invocation invocation(const Emulator& emulator, const ProgramFile& program,
                      const char* const* arguments, const char* const* environment);

/// Whether qemu can be told the path: it separates options at commas.
bool is_nameable(const char* path);

}  // namespace Atoll::trace::dbi
