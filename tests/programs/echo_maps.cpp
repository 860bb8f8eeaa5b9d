#include "echo_maps.hpp"

template <class Node, class Edge>
void add_maps_of_numbers(Atoll::program::CollectionTypes& types) {
  add_maps<Node, Edge, std::int32_t>(types, "int");
  add_maps<Node, Edge, std::int64_t>(types, "long");
  add_maps<Node, Edge, float>(types, "float");
  add_maps<Node, Edge, double>(types, "double");
  add_maps<Node, Edge, bool>(types, "bool");
}

template void add_maps_of_numbers<std::uint32_t, std::uint32_t>(Atoll::program::CollectionTypes&);
template void add_maps_of_numbers<std::uint32_t, std::uint64_t>(Atoll::program::CollectionTypes&);
template void add_maps_of_numbers<std::uint64_t, std::uint64_t>(Atoll::program::CollectionTypes&);
