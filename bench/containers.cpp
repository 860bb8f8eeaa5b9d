// Suite `containers`: the cost of placed memory for containers, relative to std::allocator (malloc)
// and to std::pmr's pools. Vectors grow, and trees and hash maps are filled and emptied, by one
// thread and by all.
#include <atoll/atoll.hpp>

#include <map>
#include <memory_resource>
#include <random>
#include <unordered_map>
#include <vector>

#include "bench.hpp"

namespace {

using Atoll::bench::require;
constexpr std::size_t kEntries = 100'000;

/// Uses std::pmr containers on any resource. The returned value is checked.
using Work = std::uint64_t (*)(std::pmr::memory_resource&);

std::uint64_t grow_small_vectors(std::pmr::memory_resource& resource) {
  std::uint64_t sum = 0;
  for (std::size_t v = 0; v < kEntries / 4; ++v) {
    std::pmr::vector<std::uint64_t> vector(&resource);
    for (std::uint64_t i = 0; i < 100; ++i) vector.push_back(i);
    sum += vector[v % 100];
  }
  return sum;
}

std::uint64_t grow_one_vector(std::pmr::memory_resource& resource) {
  std::pmr::vector<std::uint64_t> vector(&resource);
  for (std::uint64_t i = 0; i < 40 * kEntries; ++i) vector.push_back(i);
  return vector[vector.size() / 2];
}

/// Keys are in a mixed order, so that the order of frees differs from that of allocations.
template <class Map>
std::uint64_t fill_and_empty(std::pmr::memory_resource& resource) {
  Map map(&resource);
  std::uint64_t key = 1, sum = 0;
  for (std::uint64_t i = 0; i < kEntries; ++i) map[key = key * 6364136223846793005U + 1] = i;
  key = 1;
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    const auto found = map.find(key = key * 6364136223846793005U + 1);
    sum += found->second;
    map.erase(found);
  }
  return sum + map.size();
}

/// Allocates and frees blocks of 64 bytes, a thousand at a time, without a container.
std::uint64_t allocate_and_free(std::pmr::memory_resource& resource) {
  void* blocks[1000];
  for (std::size_t round = 0; round < kEntries / 1000; ++round) {
    for (void*& block : blocks) block = resource.allocate(64, 8);
    for (void* const block : blocks) resource.deallocate(block, 64, 8);
  }
  return kEntries;
}

}  // namespace

int main(int argc, char** argv) {
  const Atoll::Machine machine = Atoll::Machine::this_computer();
  const Atoll::Team team(Atoll::spread_places(machine));
  const Atoll::memory::Context context{machine, team};
  const Atoll::NodeId node = machine.memories().front().id;
  Atoll::bench::Suite suite("containers");

  struct Case {
    const char* name;
    Work work;
    double allocations;  ///< number of allocations, and of frees
  };
  const double entries = kEntries;
  const Case cases[] = {
      {"allocate and free 64 B", allocate_and_free, entries},
      {"map insert, erase", fill_and_empty<std::pmr::map<std::uint64_t, std::uint64_t>>, entries},
      {"unordered_map insert, erase",
       fill_and_empty<std::pmr::unordered_map<std::uint64_t, std::uint64_t>>, entries},
      {"vectors grown to 100", grow_small_vectors, entries / 4 * 8},
      {"vector grown to 4 M (per push)", grow_one_vector, 40 * entries},
  };
  for (const auto& [name, work, allocations] : cases)
    for (const bool all_threads : {false, true}) {
      // declared outside the rounds, so that resources keep their memory
      Atoll::PlacedMemoryResource placed(context, {Atoll::SingleNode{node}});
      std::pmr::synchronized_pool_resource pool;
      std::pmr::memory_resource* const resources[] = {&placed, std::pmr::new_delete_resource(),
                                                      &pool};
      const std::uint64_t right = work(*std::pmr::new_delete_resource());
      std::vector<std::function<void()>> variants;
      for (std::pmr::memory_resource* const resource : resources)
        variants.emplace_back([&, resource, work = work] {
          if (all_threads)
            team.run([&](int) { require(work(*resource) == right, "containers"); });
          else
            require(work(*resource) == right, "containers");
        });
      const auto times = Atoll::bench::alternate(variants, 9);
      const double to_ns = 1e9 / allocations;
      const std::string row =
          std::string(name) + (all_threads ? fmt::format(", {} threads", team.size()) : "");
      suite.row(row, "ns", times[0].median * to_ns, "malloc", times[1].median * to_ns,
                times[0].spread);
      suite.row(row, "ns", times[0].median * to_ns, "std::pmr pool", times[2].median * to_ns,
                times[0].spread);
    }
  suite.write(argc, argv);
}
