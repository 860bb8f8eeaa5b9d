// Turns the places of a machine file, chains like "2 package > numa > l3 20 MiB > 8 core > 2 pu",
// into a place tree and back.
#pragma once

#include <vector>

#include "base/json_cursor.hpp"
#include "machine/place_tree.hpp"

namespace Atoll::detail {

/// Returns the tree, numbered. Its processing units and packages don't have the system's numbers
/// yet, nor has it memories. `places` is a chain, or a list of chains and {"chain": …, "inside": [
/// … ]}.
[[nodiscard]] Place read_places(const JsonCursor& places);
[[nodiscard]] nlohmann::ordered_json write_places(const Place& root);

/// Gives the processing units and packages the system's numbers.
void read_numbers(const JsonCursor& file, Place& root);
void write_numbers(const Place& root, nlohmann::ordered_json& file);

/// Finds the places that "numa", "numa 0-3" or "machine" names, in their order.
[[nodiscard]] std::vector<Place*> find_places(const JsonCursor& at, Place& root);

}  // namespace Atoll::detail
