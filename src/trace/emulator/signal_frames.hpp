// Alignment of the stack in signal handlers. The x86-64 ABI has rsp = 8 modulo 16 at a function's
// first instruction, and Linux enters handlers so. qemu 7.2 enters them with rsp = 0 modulo 16, so
// aligned vector stores to the handler's stack fault, in the program's own code and in libc's
// (printf saves its vector arguments). Later versions of qemu don't have the fault.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/emulator/qemu_api.hpp"

namespace Atoll::trace::dbi {

struct SystemCall;

/// Notes the handler that a system call installs. Called before the call.
void note_handler(const SystemCall& call);
/// Adds a callback to a block that begins a handler: it moves the signal's frame to where the ABI
/// has it. Called before any other callback of the block is added, as these read rsp.
void align_handler(qemu_plugin_tb* block, std::uint64_t address);

}  // namespace Atoll::trace::dbi
