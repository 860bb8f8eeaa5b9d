// Random operations on placed arrays by three threads, on this guest's real nodes.
#include <random>

#include "../fuzz/placement_operations.hpp"
#include "guest_system.hpp"

namespace Atoll::guest {
namespace {

using OperationsInGuest = MemoryInGuest;

TEST_F(OperationsInGuest, ContentsAndPlacesAreRightWhateverTheOrder) {
  std::vector<std::unique_ptr<const Team>> own;
  std::vector<const Team*> teams;
  for (int worker = 0; worker < 3; ++worker) {
    own.push_back(
        std::make_unique<const Team>(spread_places(machine_), Team::Runtime::std_threads));
    teams.push_back(own.back().get());
  }
  fuzz::PlacementOperations operations({.machine = machine_,
                                        .backend = memory::system_backend(),
                                        .page_sizes = {PageSize::small, PageSize::huge},
                                        .most_elements = 700'000,
                                        .nodes_have_room = true},
                                       teams);
  std::mt19937 random(11);
  std::vector<std::uint8_t> trace(3000);
  for (std::uint8_t& byte : trace) byte = static_cast<std::uint8_t>(random());
  operations.run(trace);
}

}  // namespace
}  // namespace Atoll::guest
