// Types of the maps of the program echo.
#pragma once

#include <cstdint>
#include <string>

#include "atoll/graph/map.hpp"
#include "atoll/program/collection_types.hpp"

/// Adds the types of the maps from a key of type `K`.
template <class Node, class Edge, class K>
void add_maps(Atoll::program::CollectionTypes& types, const std::string& key) {
  types.add<Atoll::graph::Map<K, std::int32_t>>(key + "_int");
  types.add<Atoll::graph::Map<K, std::int64_t>>(key + "_long");
  types.add<Atoll::graph::Map<K, float>>(key + "_float");
  types.add<Atoll::graph::Map<K, double>>(key + "_double");
  types.add<Atoll::graph::Map<K, bool>>(key + "_bool");
  types.add<Atoll::graph::Map<K, Node>>(key + "_node");
  types.add<Atoll::graph::Map<K, Edge>>(key + "_edge");
}

/// Adds the types of the maps whose keys are numbers. Compiled apart from echo.cpp, because maps
/// take long to compile.
template <class Node, class Edge>
void add_maps_of_numbers(Atoll::program::CollectionTypes& types);
