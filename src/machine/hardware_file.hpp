// The parts 'hardware' and 'wires' of a machine file.
#pragma once

#include <functional>
#include <string>

#include "atoll/base/json.hpp"
#include "atoll/machine/hardware.hpp"
#include "base/json_cursor.hpp"

namespace Atoll::detail {

/// Returns the source for a key.
using FindSource = std::function<Source(const JsonCursor& key)>;
/// Returns the key of a source.
using KeyOfSource = std::function<std::string(const Source&)>;

/// Reads 'hardware', 'wires' and 'memory_side_caches' of a whole file. All three are optional.
[[nodiscard]] Hardware read_hardware_parts(const JsonCursor& file, const FindSource& source);
[[nodiscard]] Json write_hardware(const Hardware& hardware, const KeyOfSource& key);
[[nodiscard]] Json write_wires(const Hardware& hardware, const KeyOfSource& key);

}  // namespace Atoll::detail
