// The marks of tasks as a recorder defines them in a process that it watches; null elsewhere.
// trace/marks.h, which programs include, declares the same: that module stands to the right of this
// one.
#pragma once

#include <cstdint>

extern "C" {
void atoll_task_loop(const char* loop, std::uint64_t iterations, std::uint64_t chunk,
                     std::uint64_t fingerprint) __attribute__((weak));
void atoll_task_begin(const char* loop, std::uint64_t task) __attribute__((weak));
void atoll_task_end() __attribute__((weak));
}
