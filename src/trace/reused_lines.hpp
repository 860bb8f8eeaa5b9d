// Number of lines of a page that one thread reuses.
#pragma once

#include <bit>
#include <cstdint>

#include "trace/recorder/region.hpp"
#include "trace/traffic.hpp"

namespace Atoll::trace {

/// Returns the number of lines of a page that its thread used if the thread reuses the page, else
/// 0. `overflowed`: some of the block's counts are in Carries. `uses_of_words` is
/// MissesLike::uses_of_words.
[[nodiscard]] inline std::uint64_t reused_lines(const recorder::PageCounters& block,
                                                bool overflowed, double uses_of_words) {
  double lines = 0, words = 0, accesses = 0;
  for (std::size_t i = 0; i < kLinesOfPage; ++i) {
    const recorder::Line line = recorder::counts_of(block, i);
    lines += (line & recorder::kWords) != 0 ? 1 : 0;
    words += std::popcount(line & recorder::kWords);
    accesses += static_cast<double>(recorder::reads_of(line) + recorder::writes_of(line));
  }
  return overflowed || is_reuse(accesses, lines, words, uses_of_words)
             ? static_cast<std::uint64_t>(lines)
             : 0;
}

}  // namespace Atoll::trace
