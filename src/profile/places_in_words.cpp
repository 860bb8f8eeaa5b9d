#include "profile/places_in_words.hpp"

#include <fmt/format.h>

#include "atoll/machine/os_places.hpp"

namespace Atoll::profile {

std::string places_in_words(const Places& places) {
  if (places.nodes_of_threads.empty()) return "";
  std::vector<NodeId> of_threads;
  for (const std::uint32_t position : places.nodes_of_threads)
    of_threads.push_back(places.nodes[position]);
  return fmt::format("{}: {}", threads_by_node(of_threads),
                     places.recorded
                         ? "where the program bound them, others as an idle system spreads them"
                         : "assumed, as an idle system spreads threads that nothing binds");
}

}  // namespace Atoll::profile
