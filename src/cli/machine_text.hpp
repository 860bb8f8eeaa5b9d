// Formats a machine of any size for a screen of 80 columns, for `atoll machine`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll::cli {

/// Returns the place tree with equal siblings merged: one line for each level of a regular machine.
[[nodiscard]] std::string places_text(const Place& root);
[[nodiscard]] std::string memories_text(const Machine& machine);
/// Returns matrices if they fit, else a row for each distance.
[[nodiscard]] std::string links_text(const Machine& machine);
/// Returns bandwidths by number of threads, for each distance; "" if none is known.
[[nodiscard]] std::string threads_text(const Machine& machine);
[[nodiscard]] std::string sources_text(const Machine& machine);
/// Returns the orderings from all initiators: all three, or only the given one.
[[nodiscard]] std::string orders_text(const Machine& machine, std::optional<Ordering> only);

/// Wraps the words of `text` to lines of at most `width` characters, indented by `indent` spaces.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent,
                                  std::size_t width = 80);

}  // namespace Atoll::cli
