// Records calls that select the nodes of memory, after the calls have succeeded. Part of
// libatoll-waits.so, and of libatoll-policies.so if waits aren't recorded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/stream_words.hpp"

namespace Atoll::record::inside {

constexpr std::size_t kMaskOfCall = 16;  ///< words of a mask of nodes or processing units; further
                                         ///< words are dropped

void record_placement_call(record::RecordKind kind, const std::uint64_t* words, std::size_t count);
/// Copies a mask to `to`, without trailing zero words. Returns the number of words.
std::size_t copy_mask(std::uint64_t* to, const void* mask, std::size_t bits);

/// Records a successful system call if it is mbind, set_mempolicy or move_pages. `ask` executes a
/// move_pages call that only queries the pages' nodes.
void record_policy_call(long number, const long (&arguments)[6],
                        long (*ask)(long number, const long (&arguments)[6]));

}  // namespace Atoll::record::inside
