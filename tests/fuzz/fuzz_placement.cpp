// Fuzzes operations on placed arrays by three threads. The nodes of the fake system either have
// enough memory, or are so small that placements spill and fail. No data may be lost, no memory may
// leak, and no page may be requested when none is left.
#include <algorithm>
#include <cstdint>

#include "../unit/fake_backend.hpp"
#include "placement_operations.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace Atoll;
  static const Machine machine = memory::four_node_machine();
  const auto places = [](int unit) { return ThreadPlaces{{unit, NodeId{0}}, {unit, NodeId{1}}}; };
  static const Team one(places(0), Team::Runtime::std_threads, false);
  static const Team two(places(1), Team::Runtime::std_threads, false);
  static const Team three(places(2), Team::Runtime::std_threads, false);
  static const std::array<const Team*, 3> teams{&one, &two, &three};
  if (size < 2) return 0;
  const bool roomy = data[0] % 2 == 0;
  // Like a real system, the fake one reserves some memory of each node. Concurrent fills may exceed
  // the available memory by a few MiB, because each one sees it as free.
  constexpr std::uint64_t kReserve = 1024;
  memory::FakeBackend fake(memory::four_nodes(roomy ? 1 << 20 : kReserve + 600 + 20U * data[1]));
  fake.reserve_pages_by_node = kReserve;
  {
    fuzz::PlacementOperations operations(
        {.machine = machine,
         .backend = fake,
         .page_sizes = {PageSize::small, PageSize::huge, PageSize::pool_2m},
         .most_elements = 400'000,
         .nodes_have_room = roomy},
        teams);
    operations.run({data + 2, size - 2});
  }
  fuzz::require(fake.reservations() == 0 && fake.pages_mapped() == 0, "memory was left over");
  fuzz::require(!fake.killed(), "memory was asked for that wasn't there");
  return 0;
}
