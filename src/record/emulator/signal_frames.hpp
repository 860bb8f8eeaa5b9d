// Alignment of the stack in signal handlers. The x86-64 ABI requires rsp = 8 modulo 16 at a
// function's first instruction, and Linux ensures it for handlers. qemu 7.2 enters them with rsp =
// 0 modulo 16. Aligned vector stores to the handler's stack then fault, in the program and in libc
// (printf saves its vector arguments). Later versions of qemu don't have this bug.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/emulator/qemu_api.hpp"

namespace Atoll::record::dbi {

struct SystemCall;

/// Records the handler that a system call installs. Call it before the system call.
void note_handler(const SystemCall& call);
/// If a block begins a handler, adds a callback that moves the signal frame to the address that the
/// ABI requires. Call it before other callbacks of the block are added, as these read rsp.
void align_handler(qemu_plugin_tb* block, std::uint64_t address);

}  // namespace Atoll::record::dbi
