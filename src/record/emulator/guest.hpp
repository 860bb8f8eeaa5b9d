// Data and functions for the program that the emulator runs, the guest; shared by the plugin's
// files.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/emulator/emulator.hpp"
#include "record/recorder.hpp"

namespace Atoll::record::dbi {

struct Guest {
  bool is_64_bit = true;
  /// True if the preloaded library records allocations, modules and stacks. Otherwise the plugin
  /// records them, as far as system calls show them.
  bool has_library = false;
  Emulator emulator = {};           ///< command that started this emulator
  const char* library_file = "";    ///< the library's own path
  const char* sibling = "";         ///< path of the emulator for the other word size (32 or 64
                                    ///< bits)
  char program[PATH_MAX] = {};      ///< absolute path of the guest's executable
  const char* arguments = nullptr;  ///< argv: zero-terminated strings, one after the other
  std::size_t argument_bytes = 0;
  /// Host address of the guest's address 0. It is known from the first instruction on.
  std::uint8_t* base = nullptr;
};
extern Guest guest;

/// Fills in `guest` from this process's command line and the plugin's options.
bool read_guest_options(const char* target, int argc, char** argv);

/// Reads guest memory. Returns false if it isn't mapped.
bool copy_from_guest(std::uint64_t address, void* to, std::size_t bytes);
/// Converts a guest address to a host pointer. The guest memory must be mapped.
inline const void* at_guest(std::uint64_t address) {
  return guest.base + address;
}

struct SystemCall {
  std::int64_t number;
  std::uint64_t argument[6];
};
/// System call numbers for the guest's word size.
struct SystemCallNumbers {
  std::int64_t mmap, munmap, mremap, brk, execve, execveat, exit, exit_group, clone;
  std::int64_t shmat, shmdt, ipc;  ///< -1 if the guest has no such call
  int offset_shift;                ///< log2 of the unit of mmap's last argument
};
[[nodiscard]] const SystemCallNumbers& numbers();
/// Finds the path of the file that an mmap maps. Returns false if it can't be found.
bool mapped_path(const SystemCall& mmap, char (&path)[PATH_MAX]);

/// Called before and after each system call of the guest.
void on_system_call(const SystemCall& call);
void on_system_call_done(const SystemCall& call, std::int64_t result);

/// Called when the guest executes another program. Returns only if that program can't be watched.
void execute(int folder, std::uint64_t path, std::uint64_t arguments, std::uint64_t environment,
             int flags);

/// The following functions record events of the program, of stacks and of memory for guests without
/// the library.
void record_program(record::ThreadState* thread);
/// Records the thread's stack: the mapping that contains `address_in_it`. If that is 0, repeats the
/// previous record.
void record_stack(record::ThreadState* thread, std::uint64_t address_in_it);
void record_memory_call(const SystemCall& call, std::int64_t result);

}  // namespace Atoll::record::dbi
