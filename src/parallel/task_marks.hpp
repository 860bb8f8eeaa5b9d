// The marks of tasks, which a recorder defines in a watched process; null elsewhere. trace/marks.h,
// which programs include, has the same declarations, but this module may not include `trace`.
#pragma once

#include <cstdint>

extern "C" {
void atoll_task_loop(const char* loop, std::uint64_t iterations, std::uint64_t chunk,
                     std::uint64_t fingerprint) __attribute__((weak));
void atoll_task_begin(const char* loop, std::uint64_t task) __attribute__((weak));
void atoll_task_end() __attribute__((weak));
}
