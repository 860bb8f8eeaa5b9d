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

[[nodiscard]] std::map<HardwareFigure, RangedFigure> read_hardware(const JsonCursor& hardware,
                                                                   const FindSource& source);
[[nodiscard]] std::vector<Wire> read_wires(const JsonCursor& wires, const FindSource& source);
[[nodiscard]] nlohmann::ordered_json write_hardware(const Hardware& hardware,
                                                    const KeyOfSource& key);
[[nodiscard]] nlohmann::ordered_json write_wires(const Hardware& hardware, const KeyOfSource& key);

}  // namespace Atoll::detail
