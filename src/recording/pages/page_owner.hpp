// Thread for which the system allocated a page.
#pragma once

#include <cstdint>
#include <span>

#include "atoll/recording/recording.hpp"

namespace Atoll::recording {

/// Returns the thread to which a page of private memory belongs, if all writes are observed.
/// `toucher` is the first thread that touched it; kNone: the one with the lowest first_access. A
/// read maps the system's zero page or a page of the page cache. So if the toucher only read, the
/// page belongs to the first thread that also wrote. Returns `toucher` if no thread wrote.
[[nodiscard]] std::uint32_t owner_of_private(std::span<const ThreadOnPage> threads,
                                             std::uint32_t toucher);

}  // namespace Atoll::recording
