// The part 'memory_side_caches' of a machine file.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atoll/base/json.hpp"
#include "atoll/machine/machine.hpp"
#include "base/json_cursor.hpp"
#include "machine/hardware_file.hpp"

namespace Atoll::detail {

inline constexpr std::uint64_t kLeastMemorySideBytes = 64 << 10, kLeastMemorySideSets = 256;
inline constexpr std::uint64_t kMaxMemorySideWays = 1024, kMaxMemorySideLine = 4096;

/// Returns the caches sorted by memory.
[[nodiscard]] std::vector<MemorySideCache> read_memory_side(const JsonCursor& caches,
                                                            const FindSource& source);
[[nodiscard]] Json write_memory_side(const Hardware& hardware, const KeyOfSource& key);

/// Returns an error in the machine's memory-side caches and the advice; std::nullopt if there is
/// none.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> find_wrong_memory_side(
    const Machine::Data& data);

}  // namespace Atoll::detail
