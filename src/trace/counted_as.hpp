// What counts are of, in words. Every text about counts takes its noun from here: accesses if each
// is counted; page uses if pages are sampled.
#pragma once

#include <string>
#include <string_view>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

struct CountedAs {
  std::string_view one, many;                     ///< "1 access", "2 accesses"
  std::string_view key;                           ///< names their number in JSON
  std::string_view are = "are", fewer = "fewer";  ///< the noun's forms
  friend bool operator==(const CountedAs&, const CountedAs&) = default;
};

inline constexpr CountedAs kAccesses{.one = "access", .many = "accesses", .key = "accesses"};
/// A page use means that in one hundredth of a second a thread was the first to use the page
/// (docs/frontend-sample.md).
inline constexpr CountedAs kPageUses{.one = "page use", .many = "page uses", .key = "page_uses"};

/// Accesses cost traffic: a line that came from memory or another core's cache.
inline constexpr CountedAs kTraffic{.one = "line of memory traffic",
                                    .many = "memory traffic",
                                    .key = "traffic",
                                    .are = "is",
                                    .fewer = "less"};

[[nodiscard]] inline const CountedAs& counted_as(Frontend frontend) {
  return frontend == Frontend::sample ? kPageUses : kAccesses;
}

/// Returns what verdicts, shares and advice are about.
[[nodiscard]] inline const CountedAs& weighed_as(Frontend frontend) {
  return frontend == Frontend::sample ? kPageUses : kTraffic;
}

/// Returns "Accesses", for the beginning of a sentence.
[[nodiscard]] inline std::string capital(std::string_view noun) {
  std::string text(noun);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

}  // namespace Atoll::trace
