// Sentences for users about the limits of a recording.
#pragma once

#include <string>

#include "atoll/recording/limits.hpp"
#include "recording/counted_as.hpp"

namespace Atoll::recording {

/// Returns a text such as "accesses dropped: the memory limit". The caller adds the count.
[[nodiscard]] std::string in_words(const Loss& loss, const CountedAs& counted);
[[nodiscard]] std::string in_words(const Unseen& unseen, const CountedAs& counted);

}  // namespace Atoll::recording
