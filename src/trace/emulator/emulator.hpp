// Makes the command line that runs a program in qemu with the plugin. `atoll` uses it to start the
// first program, and the plugin to start what the watched program executes.
#pragma once

#include "trace/emulator/program_file.hpp"

namespace Atoll::trace::dbi {

/// With this argument the plugin only tests if the emulator accepts it: it ends the emulator with
/// this exit code before the program begins.
inline constexpr char kProbe[] = "probe";
inline constexpr int kProbed = 77;

struct Emulator {
  const char* qemu;     ///< path of qemu-x86_64 or, for 32-bit programs, qemu-i386
  const char* plugin;   ///< path of libatoll-dbi.so
  const char* library;  ///< path, as in LD_PRELOAD, of what sees the program's allocations
  const char* region;   ///< path of the region to record into
};

/// The words of a command and its environment, each ending in a null.
struct Invocation {
  char** arguments;
  char** environment;
  void* memory;  ///< to be freed; null: no memory, and nothing above is set. Words that were
                 ///< given are pointed to, not copied
};

/// Returns how to run `program` (without trouble) with `arguments` and `environment` (both end in
/// null).
Invocation invocation(const Emulator& emulator, const ProgramFile& program,
                      const char* const* arguments, const char* const* environment);

/// True if the path can be passed to qemu, which separates options at commas.
bool is_nameable(const char* path);

}  // namespace Atoll::trace::dbi
