// What the plugin's files share about the program that the emulator runs, the guest.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/emulator/emulator.hpp"
#include "trace/recorder/recorder.hpp"

namespace Atoll::trace::dbi {

struct Guest {
  bool is_64_bit = true;
  /// The preloaded library tells allocations, modules and stacks; else the plugin, from system
  /// calls.
  bool has_library = false;
  Emulator emulator = {};           ///< as this one was started
  const char* library_file = "";    ///< the library's own path
  const char* sibling = "";         ///< path of the emulator for the other width of programs
  char program[PATH_MAX] = {};      ///< absolute path of the guest's executable
  const char* arguments = nullptr;  ///< argv, one after the other, each with its final zero
  std::size_t argument_bytes = 0;
  /// Where the guest's address 0 is in this process; known with the first instruction.
  std::uint8_t* base = nullptr;
};
extern Guest guest;

/// Fills in `guest` from this process's command line and the plugin's options.
bool know_guest(const char* target, int argc, char** argv);

/// At an address that the guest gave, and may be wrong: false.
bool copy_from_guest(std::uint64_t address, void* to, std::size_t bytes);
/// The guest's own data, known to be there.
inline const void* at_guest(std::uint64_t address) {
  return guest.base + address;
}

struct SystemCall {
  std::int64_t number;
  std::uint64_t argument[6];
};
/// The numbers of those that the plugin knows, for the guest's width.
struct SystemCallNumbers {
  std::int64_t mmap, munmap, mremap, brk, execve, execveat, exit, exit_group, clone;
  std::int64_t shmat, shmdt, ipc;  ///< -1: there is none
  int offset_shift;                ///< of mmap's last argument
};
[[nodiscard]] const SystemCallNumbers& numbers();
/// The path of the file that an mmap maps; false: it can't be told.
bool mapped_path(const SystemCall& mmap, char (&path)[PATH_MAX]);

/// Before and after each system call of the guest.
void on_system_call(const SystemCall& call);
void on_system_call_done(const SystemCall& call, std::int64_t result);

/// The guest executes another program: if it can be watched, this doesn't return.
void execute(int folder, std::uint64_t path, std::uint64_t arguments, std::uint64_t environment,
             int flags);

/// For guests without the library: events of system calls, program and stacks.
void tell_program(recorder::ThreadState* thread);
/// The thread's stack: what is mapped around an address in it; with 0, as it was told before.
void tell_stack(recorder::ThreadState* thread, std::uint64_t address_in_it);
void tell_memory(const SystemCall& call, std::int64_t result);

}  // namespace Atoll::trace::dbi
