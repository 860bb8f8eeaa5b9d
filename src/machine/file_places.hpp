// Converts between a place tree and the places of a machine file: chains like "2 package > numa >
// l3 20 MiB > 8 core > 2 pu".
#pragma once

#include <vector>

#include "atoll/base/json.hpp"
#include "base/json_cursor.hpp"
#include "machine/place_tree.hpp"

namespace Atoll::detail {

/// Returns the numbered tree. Its processing units and packages lack the operating system's
/// numbers, and it has no memories. `places` is a chain, or a list of chains and {"chain": …,
/// "inside": [ … ]}.
[[nodiscard]] Place read_places(const JsonCursor& places);
[[nodiscard]] Json write_places(const Place& root);

/// Sets the operating system's numbers of processing units and packages.
void read_numbers(const JsonCursor& file, Place& root);
void write_numbers(const Place& root, Json& file);

/// Returns the places that "numa", "numa 0-3" or "machine" denotes, in this order.
[[nodiscard]] std::vector<Place*> find_places(const JsonCursor& at, Place& root);

}  // namespace Atoll::detail
