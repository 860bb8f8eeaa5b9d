// Nouns for the counts in reports: accesses if every access is counted, page uses if pages are
// sampled. All texts about counts take their noun from here.
#pragma once

#include <string>
#include <string_view>

#include "atoll/recording/recording.hpp"

namespace Atoll::recording {

struct CountedAs {
  std::string_view one, many;                     ///< "1 access", "2 accesses"
  std::string_view key;                           ///< key of their number in JSON
  std::string_view are = "are", fewer = "fewer";  ///< forms that agree with the noun
  friend bool operator==(const CountedAs&, const CountedAs&) = default;
};

inline constexpr CountedAs kAccesses{.one = "access", .many = "accesses", .key = "accesses"};
/// A page use means that a thread was the first to use the page within a period of 10 ms
/// (docs/frontend-sample.md).
inline constexpr CountedAs kPageUses{.one = "page use", .many = "page uses", .key = "page_uses"};

/// Traffic that accesses cause: lines loaded from memory or from another core's cache.
inline constexpr CountedAs kTraffic{.one = "line of memory traffic",
                                    .many = "memory traffic",
                                    .key = "traffic",
                                    .are = "is",
                                    .fewer = "less"};

[[nodiscard]] inline const CountedAs& counted_as(const Recording& recording) {
  return recording.is_sampled() ? kPageUses : kAccesses;
}

/// Returns the quantity that verdicts, shares and advice are based on.
[[nodiscard]] inline const CountedAs& weighed_as(const Recording& recording) {
  return recording.is_sampled() ? kPageUses : kTraffic;
}

/// Returns the noun with an upper-case first letter, e.g. "Accesses".
[[nodiscard]] inline std::string capital(std::string_view noun) {
  std::string text(noun);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

}  // namespace Atoll::recording
