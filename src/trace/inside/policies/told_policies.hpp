// Calls that say on which nodes memory is to be, told after they succeeded: in libatoll-waits.so,
// and in libatoll-policies.so where waits aren't recorded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/recorder/stream_words.hpp"

namespace Atoll::trace::inside {

constexpr std::size_t kMaskOfCall = 16;  ///< words: nodes or processing units that can be named

void tell_call(recorder::RecordKind kind, const std::uint64_t* words, std::size_t count);
/// Copies a mask behind the words, without the zeros at its end; returns how many words that are.
std::size_t copy_mask(std::uint64_t* to, const void* mask, std::size_t bits);

/// Tells of a system call that has succeeded, if it is mbind, set_mempolicy or move_pages. `ask`:
/// makes a move_pages call that only asks where pages are.
void told_policy_call(long number, const long (&arguments)[6],
                      long (*ask)(long number, const long (&arguments)[6]));

}  // namespace Atoll::trace::inside
