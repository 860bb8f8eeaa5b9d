// What the plugin's files share about the program that the emulator runs, the guest.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/emulator/emulator.hpp"
#include "trace/recorder/recorder.hpp"

namespace Atoll::trace::dbi {

struct Guest {
  bool is_64_bit = true;
  /// True if the preloaded library tells of allocations, modules and stacks. Otherwise the plugin
  /// does, as far as system calls show them.
  bool has_library = false;
  Emulator emulator = {};           ///< how this emulator was started
  const char* library_file = "";    ///< the library's own path
  const char* sibling = "";         ///< path of the emulator for the other width of programs
  char program[PATH_MAX] = {};      ///< absolute path of the guest's executable
  const char* arguments = nullptr;  ///< argv, one after the other, each with its final zero
  std::size_t argument_bytes = 0;
  /// Where the guest's address 0 is in this process. It is known from the first instruction on.
  std::uint8_t* base = nullptr;
};
extern Guest guest;

/// Fills in `guest` from this process's command line and the plugin's options.
bool know_guest(const char* target, int argc, char** argv);

/// Reads memory at an address that the guest gave. Returns false if there is none.
bool copy_from_guest(std::uint64_t address, void* to, std::size_t bytes);
/// Returns a guest's data that is known to be there.
inline const void* at_guest(std::uint64_t address) {
  return guest.base + address;
}

struct SystemCall {
  std::int64_t number;
  std::uint64_t argument[6];
};
/// The numbers of the system calls that the plugin knows, for the guest's width.
struct SystemCallNumbers {
  std::int64_t mmap, munmap, mremap, brk, execve, execveat, exit, exit_group, clone;
  std::int64_t shmat, shmdt, ipc;  ///< -1 if there is no such call
  int offset_shift;                ///< the unit of mmap's last argument, as a power of two
};
[[nodiscard]] const SystemCallNumbers& numbers();
/// Finds the path of the file that an mmap maps. Returns false if it can't be found.
bool mapped_path(const SystemCall& mmap, char (&path)[PATH_MAX]);

/// Called before and after each system call of the guest.
void on_system_call(const SystemCall& call);
void on_system_call_done(const SystemCall& call, std::int64_t result);

/// Called when the guest executes another program. Doesn't return if that can be watched.
void execute(int folder, std::uint64_t path, std::uint64_t arguments, std::uint64_t environment,
             int flags);

/// The following make events of system calls, the program and stacks, for guests without the
/// library.
void tell_program(recorder::ThreadState* thread);
/// Tells of the thread's stack: what is mapped around an address in it. 0 tells what was told last.
void tell_stack(recorder::ThreadState* thread, std::uint64_t address_in_it);
void tell_memory(const SystemCall& call, std::int64_t result);

}  // namespace Atoll::trace::dbi
