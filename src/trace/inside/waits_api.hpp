// Interface between libatoll-waits.so and libatoll-record.so, which are preloaded together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/recorder/waits.hpp"

extern "C" {
/// Records that this thread waits, or lets others continue. Sets WaitTold::answer.
void atoll_tell_wait(Atoll::trace::recorder::WaitTold* told) __attribute__((weak));
/// Records that this thread places memory or threads: a RecordKind of at least 96, and `count`
/// words.
void atoll_tell_placement(std::uint32_t kind, const std::uint64_t* words, std::size_t count)
    __attribute__((weak));
}
