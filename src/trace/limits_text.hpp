// Sentences about what a recording lacks, for people.
#pragma once

#include <string>

#include "atoll/trace/limits.hpp"
#include "trace/counted_as.hpp"

namespace Atoll::trace {

/// "accesses dropped: the memory limit"; the count follows in a way of the reader's own.
[[nodiscard]] std::string in_words(const Loss& loss, const CountedAs& counted);
[[nodiscard]] std::string in_words(const Unseen& unseen, const CountedAs& counted);

}  // namespace Atoll::trace
