// The places of a machine file: chains like "2 package > numa > l3 20 MiB > 8 core > 2 pu" to and
// from a place tree.
#pragma once

#include <vector>

#include "base/json_cursor.hpp"
#include "machine/place_tree.hpp"

namespace Atoll::detail {

/// The tree, numbered, its processing units and packages not yet with the system's numbers, without
/// memories. `places` is a chain, or a list of chains and {"chain": …, "inside": [ … ]}.
[[nodiscard]] Place read_places(const JsonCursor& places);
[[nodiscard]] nlohmann::ordered_json write_places(const Place& root);

/// Gives the processing units and packages the system's numbers.
void read_numbers(const JsonCursor& file, Place& root);
void write_numbers(const Place& root, nlohmann::ordered_json& file);

/// "numa", "numa 0-3", "machine": those places, in their order.
[[nodiscard]] std::vector<Place*> find_places(const JsonCursor& at, Place& root);

}  // namespace Atoll::detail
