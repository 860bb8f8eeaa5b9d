// Number of lines of a page that one thread reuses.
#pragma once

#include <bit>
#include <cstdint>

#include "record/region.hpp"
#include "recording/traffic.hpp"

namespace Atoll::recording {

/// Returns the number of lines of a page that its thread used if the thread reuses the page, else
/// 0. `overflowed`: some of the block's counts are in Carries. `uses_of_words` is
/// MissesLike::uses_of_words.
[[nodiscard]] inline std::uint64_t reused_lines(const record::PageCounters& block, bool overflowed,
                                                double uses_of_words) {
  double lines = 0, words = 0, accesses = 0;
  for (std::size_t i = 0; i < kLinesOfPage; ++i) {
    const record::Line line = record::counts_of(block, i);
    lines += (line & record::kWords) != 0 ? 1 : 0;
    words += std::popcount(line & record::kWords);
    accesses += static_cast<double>(record::reads_of(line) + record::writes_of(line));
  }
  return overflowed || is_reuse(accesses, lines, words, uses_of_words)
             ? static_cast<std::uint64_t>(lines)
             : 0;
}

}  // namespace Atoll::recording
