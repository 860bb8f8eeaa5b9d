// Weak symbols between the libraries that are preloaded into a watched process. Each is null unless
// the library that defines it is loaded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::record {
struct WaitReport;
}

extern "C" {
/// libatoll-record.so: records that this thread waits, or lets others continue. Sets
/// WaitReport::answer.
void atoll_tell_wait(Atoll::record::WaitReport* told) __attribute__((weak));
/// libatoll-record.so: records that this thread places memory or threads: a RecordKind of group
/// placement, and its `count` fields after the clock.
void atoll_tell_placement(std::uint32_t kind, const std::uint64_t* words, std::size_t count)
    __attribute__((weak));
/// libatoll-machine.so: called when a process begins.
void atoll_process_begins() __attribute__((weak));
/// libatoll-waits.so: runs a new thread's first function.
void atoll_thread_runs(void* (*routine)(void*)) __attribute__((weak));
}
