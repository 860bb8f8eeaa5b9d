// Machines are equal after they are written and read, for random machines of any shape with random
// quantities.
#include <algorithm>
#include <random>

#include "atoll/base/units.hpp"
#include "machine/node_set.hpp"
#include "machine/place_tree.hpp"
#include "machine/quantity.hpp"
#include "machine_support.hpp"

namespace Atoll {
namespace {

class RandomMachine {
 public:
  explicit RandomMachine(unsigned seed) : random_(seed) {}

  Machine::Data make() {
    data_.name = "random";
    if (flip()) data_.about = "a \"quoted\" word, and \\ more: \xc3\xa4";
    data_.root = place(PlaceKind::machine, 0);
    detail::number_places(data_.root);
    number();
    attach();
    data_.processors = detail::list_processors(
        data_.root, [&](const Place&, const detail::Path& path) { return node_for(path); });
    data_.caches.line_bytes = flip() ? 64 : 128;
    caches(data_.root);
    links();
    orders();
    memory_sides();
    return data_;
  }

 private:
  std::size_t below(std::size_t most) { return random_() % most; }
  bool flip() { return below(2) == 0; }

  Place place(PlaceKind kind, int groups) {
    Place made;
    made.kind = kind;
    if (kind >= PlaceKind::l3 && kind <= PlaceKind::l1) made.cache_bytes = (1 + below(9)) * 12345;
    if (kind == PlaceKind::pu) return made;
    const std::size_t children = 1 + below(kind < PlaceKind::l3 ? 3 : 2);
    std::vector<PlaceKind> kinds;
    for (const PlaceKind inner : detail::kPlaceKinds)
      if (inner > kind) kinds.push_back(inner);
    if (kind == PlaceKind::group && groups < 3) kinds.push_back(PlaceKind::group);
    const PlaceKind inner = kinds[below(std::min<std::size_t>(kinds.size(), 3))];
    for (std::size_t i = 0; i < children; ++i)
      made.children.push_back(i > 0 && flip() ? made.children.front()
                                              : place(inner, groups + (inner == PlaceKind::group)));
    return made;
  }

  void number() {
    std::vector<Place*> units, packages;
    collect(data_.root, units, packages);
    std::vector<int> numbers(units.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<int>(i * (1 + seed_skip_));
    if (flip()) std::shuffle(numbers.begin(), numbers.end(), random_);
    for (std::size_t i = 0; i < units.size(); ++i) units[i]->os_index = numbers[i];
    for (std::size_t i = 0; i < packages.size(); ++i)
      packages[i]->os_index = static_cast<int>(packages.size() - i);
  }
  static void collect(Place& place, std::vector<Place*>& units, std::vector<Place*>& packages) {
    if (place.kind == PlaceKind::pu) units.push_back(&place);
    if (place.kind == PlaceKind::package) packages.push_back(&place);
    for (Place& child : place.children) collect(child, units, packages);
  }

  void attach_to(Place& place) {
    if (place.kind == PlaceKind::pu) return;
    const bool wanted = below(4) == 0 || (place.kind == PlaceKind::numa && flip());
    for (std::size_t i = wanted ? 1 + below(2) : 0; i > 0; --i) {
      MemoryNode memory;
      memory.id = node(next_node_);
      next_node_ += 1 + static_cast<unsigned>(below(2));
      memory.tier = std::vector{"dram", "hbm", "cxl", "pmem", "gpu"}[below(5)];
      memory.capacity_bytes = flip() ? (1 + below(100)) * kGiB : 1 + below(1'000'000'007);
      if (flip()) memory.free_bytes = below(memory.capacity_bytes + 1);
      memory.source = source();
      data_.memories.push_back(memory);
      place.memories.push_back(memory.id);
    }
    for (Place& child : place.children) attach_to(child);
  }
  void attach() {
    attach_to(data_.root);
    if (flip()) data_.free_bytes = below(100) * kGiB;
    if (data_.memories.empty()) {
      data_.memories.push_back({node(5), "dram", kGiB, std::nullopt, source()});
      data_.root.memories.push_back(node(5));
    }
  }

  NodeId node_for(const detail::Path& path) {
    std::vector<NodeId> around;
    for (const Place* place : path)
      around.insert(around.end(), place->memories.begin(), place->memories.end());
    if (around.empty() || below(4) == 0) return node(900 + static_cast<unsigned>(below(3)));
    return around[flip() ? around.size() - 1 : below(around.size())];
  }

  void caches(const Place& place) {
    if (place.kind == PlaceKind::l1) data_.caches.l1_bytes = place.cache_bytes;
    if (place.kind == PlaceKind::l2) data_.caches.l2_bytes = place.cache_bytes;
    if (place.kind == PlaceKind::l3) {
      data_.caches.l3_bytes = place.cache_bytes;
      data_.caches.l3_shared_by = 0;
      detail::walk(place, [&](const Place& each, const detail::Path&) {
        data_.caches.l3_shared_by += each.kind == PlaceKind::pu;
      });
    }
    for (const Place& child : place.children) caches(child);
  }

  Source source() {
    return {std::vector{Origin::measured, Origin::firmware, Origin::paper, Origin::user}[below(4)],
            flip() ? "one" : "another; " + std::to_string(below(3))};
  }
  Figure figure() {
    const double values[] = {1, 0.1, 98, 1e9 / 3, 51.2e9, 0x1p20, 123456.789, 1e-3, 3e12};
    // The origin is `measured`, because check_links accepts any measured figure.
    return {values[below(9)], {flip() ? Origin::measured : Origin::firmware, source().text}};
  }
  void links() {
    for (const Processor& processor : data_.processors)
      for (const MemoryNode& memory : data_.memories) {
        Link link{figure(), figure(), figure(),
                  processor.node == memory.id ? 10 : 11 + static_cast<double>(below(3)) / 2};
        for (int threads = 1; flip(); threads *= 2)
          link.by_threads.push_back({threads, figure(), figure(), figure()});
        data_.links.try_emplace({processor.node, memory.id}, std::move(link));
      }
  }
  void orders() {
    for (const Processor& processor : data_.processors)
      for (const Ordering ordering : {Ordering::latency, Ordering::bandwidth, Ordering::capacity}) {
        if (below(3) > 0) continue;
        std::vector<NodeId> nodes;
        for (const MemoryNode& memory : data_.memories) nodes.push_back(memory.id);
        std::shuffle(nodes.begin(), nodes.end(), random_);
        data_.orders_by_hand[{processor.node, ordering}] = nodes;
      }
  }

  RangedFigure ranged(double least) {
    const double value = least * (1 + static_cast<double>(below(1000)) / 7);
    if (flip()) return {value, value, value, source()};
    return {value, value / 3, value * 1.1, {Origin::estimated, "guessed"}};
  }
  void memory_sides() {
    for (const MemoryNode& memory : data_.memories) {
      MemorySideCache cache{memory.id, 0,         1 + below(3), 64ULL << (1 + below(3)),
                            source(),  ranged(1), ranged(1),    ranged(1e9)};
      cache.bytes = cache.line_bytes * cache.ways * (256 + below(1000));
      if (flip() && cache.bytes >= 64 * kKiB && cache.bytes <= memory.capacity_bytes)
        data_.hardware.memory_side_caches.push_back(cache);
    }
  }

  std::mt19937 random_;
  Machine::Data data_;
  unsigned next_node_ = 0;
  std::size_t seed_skip_ = below(3);
};

TEST(MachineRoundTrip, RandomMachinesRoundTrip) {
  std::size_t with_several_nodes = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Machine machine(RandomMachine(seed).make(), "random");
    const std::string text = machine.to_json();
    const Machine again = Machine::from_json(text, "again");
    ASSERT_EQ(again, machine) << "seed " << seed << "\n" << text;
    with_several_nodes += machine.initiators().size() > 1;
  }
  EXPECT_GT(with_several_nodes, 80U);
}

TEST(MachineRoundTrip, QuantitiesReadBackToTheLastBit) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const double value = static_cast<double>(random()) / static_cast<double>(1 + random() % 100000);
    EXPECT_EQ(detail::parse_latency(detail::write_latency(value)), value);
    EXPECT_EQ(detail::parse_bandwidth(detail::write_bandwidth(value)), value);
    const std::uint64_t bytes = random() >> (12 + random() % 40);
    EXPECT_EQ(parse_bytes(detail::write_bytes(bytes), "bytes"), bytes);
  }
  EXPECT_EQ(detail::write_bandwidth(51.2e9), "51.2 GB/s");
  EXPECT_EQ(detail::write_latency(98), "98 ns");
  for (const char* wrong :
       {"", "98", "98 GB/s", "ns", "1e3 ns", "inf ns", "nan ns", "9 ns 9", "0x9 ns"})
    EXPECT_EQ(detail::parse_latency(wrong), std::nullopt) << wrong;
}

TEST(MachineRoundTrip, NumbersReadBack) {
  EXPECT_EQ(detail::format_numbers(std::vector{0, 1, 2, 5, 4, 3, 7, 8}), "0-2,5,4,3,7-8");
  EXPECT_EQ(detail::parse_numbers("0-2,5,4,3,7-8", "x", 9), (std::vector{0, 1, 2, 5, 4, 3, 7, 8}));
  for (const char* wrong :
       {"", "-", "1-", "-1", "3-1", "1,,2", "1,", "x", "10", "0-99999999999", "1 2"})
    EXPECT_NE(input_error([&] {
                static_cast<void>(detail::parse_numbers(wrong, "here", 9));
              }).find("here: '"),
              std::string::npos)
        << wrong;
}

}  // namespace
}  // namespace Atoll
