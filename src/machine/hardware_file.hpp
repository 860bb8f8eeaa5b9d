// The parts 'hardware' and 'wires' of a machine file.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "atoll/machine/hardware.hpp"
#include "base/json_cursor.hpp"

namespace Atoll::detail {

/// The source that a key stands for.
using FindSource = std::function<Source(const JsonCursor& key)>;
/// The key that stands for a source.
using KeyOfSource = std::function<std::string(const Source&)>;

/// Reads both, and 'memory_side_caches', of a whole file, as far as they are there.
[[nodiscard]] Hardware read_hardware_parts(const JsonCursor& file, const FindSource& source);
[[nodiscard]] nlohmann::ordered_json write_hardware(const Hardware& hardware,
                                                    const KeyOfSource& key);
[[nodiscard]] nlohmann::ordered_json write_wires(const Hardware& hardware, const KeyOfSource& key);

}  // namespace Atoll::detail
