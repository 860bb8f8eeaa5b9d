// What counts are of, in words. All that is said of counts takes its noun from here: accesses where
// each is counted; page uses where pages are sampled.
#pragma once

#include <string>
#include <string_view>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

struct CountedAs {
  std::string_view one, many;                     ///< "1 access", "2 accesses"
  std::string_view key;                           ///< of their number, in JSON
  std::string_view are = "are", fewer = "fewer";  ///< as the noun has it
  friend bool operator==(const CountedAs&, const CountedAs&) = default;
};

inline constexpr CountedAs kAccesses{.one = "access", .many = "accesses", .key = "accesses"};
/// A use: in one hundredth of a second a thread was the first to use the page
/// (docs/frontend-sample.md).
inline constexpr CountedAs kPageUses{.one = "page use", .many = "page uses", .key = "page_uses"};

/// What accesses cost: a line that came from memory or another core's cache.
inline constexpr CountedAs kTraffic{.one = "line of memory traffic",
                                    .many = "memory traffic",
                                    .key = "traffic",
                                    .are = "is",
                                    .fewer = "less"};

[[nodiscard]] inline const CountedAs& counted_as(Frontend frontend) {
  return frontend == Frontend::sample ? kPageUses : kAccesses;
}

/// What verdicts, shares and advice go by.
[[nodiscard]] inline const CountedAs& weighed_as(Frontend frontend) {
  return frontend == Frontend::sample ? kPageUses : kTraffic;
}

/// "Accesses", for the beginning of a sentence.
[[nodiscard]] inline std::string capital(std::string_view noun) {
  std::string text(noun);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

}  // namespace Atoll::trace
