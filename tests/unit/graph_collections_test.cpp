// Collections of nodes, compared with the standard library's. Random operations are applied to
// both, at sizes where sets change their representation.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "atoll/graph/collection_sequence.hpp"
#include "atoll/graph/node_order.hpp"
#include "atoll/graph/node_sequence.hpp"
#include "atoll/graph/node_set.hpp"
#include "atoll/parallel/for_each.hpp"
#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

template <class Node>
class GraphCollections : public testing::Test {};
using Ids = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(GraphCollections, Ids);

template <class Node, class Model>
void expect_items(const NodeSet<Node>& set, const Model& model) {
  ASSERT_EQ(set.size(), model.size());
  EXPECT_EQ(set.empty(), model.empty());
  const std::vector<Node> items = set.items();
  ASSERT_TRUE(std::ranges::equal(items, model));
  std::vector<Node> visited;
  set.for_each([&](Node node) { visited.push_back(node); });
  EXPECT_EQ(visited, items);
}

/// Returns sets of different sizes and densities: lists, chunks of lists, chunks of bits, and
/// mixtures.
template <class Node>
std::vector<NodeSet<Node>> sets_of_all_forms() {
  std::mt19937_64 random(7);
  const std::uint64_t greatest = std::numeric_limits<Node>::max();
  std::vector<NodeSet<Node>> sets(1);  // the first set is empty
  const std::pair<std::uint64_t, std::uint64_t> sizes_and_ranges[] = {
      {1, 1},           {100, 300},         {100, greatest},    {128, 1000},    {129, 1000},
      {3000, 50'000},   {4096, 65'536},     {60'000, 65'536},   {5000, 70'000}, {40'000, 150'000},
      {20'000, 50'000}, {20'000, greatest}, {15'000, 1'000'000}};
  for (const auto& [size, range] : sizes_and_ranges) {
    NodeSet<Node> set;
    for (std::uint64_t i = 0; i < size; ++i) set.add(static_cast<Node>(random() % range));
    sets.push_back(std::move(set));
  }
  NodeSet<Node> all, once_full;
  for (Node node = 0; node < 70'000; ++node) all.add(node);
  once_full = all;
  for (Node node = 0; node < 70'000; ++node)
    if (node % 1000 != 3) once_full.remove(node);
  sets.push_back(all);
  sets.push_back(once_full);
  return sets;
}

TYPED_TEST(GraphCollections, ASetDoesWhatAStandardSetDoes) {
  std::mt19937_64 random(1);
  // Id ranges with few and with many chunks. 0 means all ids, including NIL.
  for (const std::uint64_t range : {50ULL, 5000ULL, 100'000ULL, 3'000'000ULL, 0ULL}) {
    NodeSet<TypeParam> set;
    std::set<TypeParam> model;
    std::vector<TypeParam> seen;
    for (int step = 0; step < 60'000; ++step) {
      // Grows in the first half, then shrinks, so that sets switch representation in both
      // directions.
      const bool grows = random() % 10 < (step < 30'000 ? 8U : 2U);
      TypeParam node = static_cast<TypeParam>(range == 0 ? random() : random() % range);
      if (!grows && !seen.empty() && random() % 4 != 0) node = seen[random() % seen.size()];
      seen.push_back(node);
      ASSERT_EQ(set.has(node), model.contains(node));
      const bool changes = grows ? set.add(node) : set.remove(node);
      ASSERT_EQ(changes, grows ? model.insert(node).second : model.erase(node) == 1);
      ASSERT_EQ(set.has(node), grows);
      if (step % 5000 == 0) expect_items(set, model);
    }
    expect_items(set, model);
    for (const TypeParam node : seen) set.remove(node);
    expect_items(set, std::set<TypeParam>());
  }
}

TYPED_TEST(GraphCollections, OperationsOfTwoSetsOfAnyForm) {
  const auto sets = sets_of_all_forms<TypeParam>();
  std::vector<std::vector<TypeParam>> models;  // in ascending order
  for (const auto& set : sets) models.push_back(set.items());
  for (std::size_t a = 0; a < sets.size(); ++a)
    for (std::size_t b = 0; b < sets.size(); ++b) {
      SCOPED_TRACE(testing::Message() << a << " and " << b);
      const auto model = [&](auto&& operation) {
        std::vector<TypeParam> result;
        operation(models[a], models[b], std::back_inserter(result));
        return result;
      };
      NodeSet<TypeParam> united = sets[a], both = sets[a], rest = sets[a];
      united.unite(sets[b]);
      expect_items(united, model(std::ranges::set_union));
      both.intersect(sets[b]);
      expect_items(both, model(std::ranges::set_intersection));
      rest.subtract(sets[b]);
      expect_items(rest, model(std::ranges::set_difference));

      EXPECT_EQ(sets[a].is_subset_of(sets[b]), std::ranges::includes(models[b], models[a]));
      EXPECT_TRUE(sets[a].is_subset_of(united));
      EXPECT_TRUE(both.is_subset_of(sets[a]));
      EXPECT_TRUE(both.is_subset_of(sets[b]));
      EXPECT_EQ(sets[a] == sets[b], models[a] == models[b]);
      both.unite(rest);
      EXPECT_EQ(both, sets[a]) << "what is in the other one and what isn't are all";
      EXPECT_EQ(sets[a].size(), models[a].size()) << "the operands stay as they are";
      EXPECT_EQ(sets[b].size(), models[b].size());
    }
}

TYPED_TEST(GraphCollections, ASetAndItself) {
  for (const auto& original : sets_of_all_forms<TypeParam>()) {
    NodeSet<TypeParam> set = original;
    set.unite(set);
    EXPECT_EQ(set, original);
    set.intersect(set);
    EXPECT_EQ(set, original);
    EXPECT_TRUE(set.is_subset_of(set));
    set.subtract(set);
    EXPECT_TRUE(set.empty());
  }
}

TYPED_TEST(GraphCollections, ACopyOfASetIsOnItsOwn) {
  for (const auto& original : sets_of_all_forms<TypeParam>()) {
    const auto items = original.items();
    NodeSet<TypeParam> copy = original;
    const TypeParam other = 123'456'789;
    ASSERT_TRUE(copy.add(other));
    EXPECT_EQ(original.items(), items);
    EXPECT_FALSE(copy == original);
    copy = original;
    EXPECT_EQ(copy, original);
    NodeSet<TypeParam> moved = std::move(copy);
    EXPECT_EQ(moved, original);
    EXPECT_TRUE(copy.empty());  // NOLINT(bugprone-use-after-move): a moved one is empty
    copy.add(5);
    EXPECT_EQ(copy.items(), std::vector<TypeParam>{5});
    const NodeSet<TypeParam>& same = moved;
    moved = same;
    EXPECT_EQ(moved, original);
    moved.clear();
    EXPECT_TRUE(moved.empty());
    EXPECT_TRUE(moved.add(7));
  }
}

/// Compares with std::deque: random pushes and pops at both ends, in phases that grow and phases
/// that shrink.
template <class Node, class Sequence, class Push>
void compare_with_deque(Sequence& sequence, Push&& push) {
  std::mt19937_64 random(3);
  std::deque<Node> model;
  std::size_t largest = 0;
  for (int step = 0; step < 100'000; ++step) {
    const unsigned pushes = step / 10'000 % 2 == 0 ? 7 : 2;
    if (model.empty() || random() % 10 < pushes) {
      const auto node = static_cast<Node>(random() % 5000);
      push(sequence, model, node, random() % 3 == 0);
    } else if (random() % 3 == 0) {
      ASSERT_EQ(sequence.pop_back(), model.back());
      model.pop_back();
    } else {
      ASSERT_EQ(sequence.pop_front(), model.front());
      model.pop_front();
    }
    ASSERT_EQ(sequence.size(), model.size());
    ASSERT_EQ(sequence.empty(), model.empty());
    if (step % 1000 == 0) {
      ASSERT_TRUE(std::ranges::equal(sequence.items(), model));
    }
    largest = std::max(largest, model.size());
  }
  EXPECT_GT(largest, 1000U);
  const Sequence copy = sequence;
  EXPECT_EQ(copy, sequence);
  sequence.clear();
  EXPECT_TRUE(sequence.empty());
  EXPECT_TRUE(sequence.items().empty());
  EXPECT_TRUE(std::ranges::equal(copy.items(), model));
  sequence.push_front(9);
  EXPECT_EQ(sequence.items(), std::vector<Node>{9});
}

TYPED_TEST(GraphCollections, ASequenceDoesWhatADequeDoes) {
  NodeSequence<TypeParam> sequence;
  compare_with_deque<TypeParam>(
      sequence, [](auto& to, std::deque<TypeParam>& model, TypeParam node, bool front) {
        front ? to.push_front(node) : to.push_back(node);
        front ? model.push_front(node) : model.push_back(node);
      });
}

TYPED_TEST(GraphCollections, AnOrderHoldsANodeOnceWhereItWasPushedFirst) {
  NodeOrder<TypeParam> order;
  compare_with_deque<TypeParam>(
      order, [](auto& to, std::deque<TypeParam>& model, TypeParam node, bool front) {
        const bool is_in = std::ranges::find(model, node) != model.end();
        ASSERT_EQ(to.has(node), is_in);
        front ? to.push_front(node) : to.push_back(node);
        ASSERT_TRUE(to.has(node));
        if (is_in) return;
        front ? model.push_front(node) : model.push_back(node);
      });
}

TYPED_TEST(GraphCollections, ACollectionOfSetsHoldsCopies) {
  CollectionSequence<NodeSet<TypeParam>> sets;
  EXPECT_TRUE(sets.empty());
  NodeSet<TypeParam> set;
  for (TypeParam node = 0; node < 300; ++node) {
    set.add(node);
    sets.push_back(set);
  }
  EXPECT_EQ(sets.size(), 300U);
  TypeParam size = 0;
  for (const NodeSet<TypeParam>& each : std::as_const(sets)) EXPECT_EQ(each.size(), ++size);
  sets.begin()->add(77);
  EXPECT_EQ(sets.begin()->items(), (std::vector<TypeParam>{0, 77}));
  const auto copy = sets;
  EXPECT_EQ(copy, sets);
  sets.pop_back();
  EXPECT_EQ(std::prev(sets.end())->size(), 299U);
  EXPECT_EQ(sets.size(), 299U);
  EXPECT_EQ(copy.size(), 300U);
  EXPECT_FALSE(copy == sets);
  sets.clear();
  EXPECT_TRUE(sets.empty());
}

TYPED_TEST(GraphCollections, ThreadsThatLockLoseNothing) {
  constexpr std::size_t kNodes = 40'000;
  for (const int threads : {1, 2, 4}) {
    NodeSet<TypeParam> set, other;
    NodeOrder<TypeParam> order;
    NodeSequence<TypeParam> sequence;
    for_each(team_of(threads), kNodes, LoopSchedule::dynamic, [&](std::size_t i) {
      const auto node = static_cast<TypeParam>(i / 2);  // each node occurs twice
      {
        const auto guard = set.lock();
        set.add(node);
      }
      {
        const auto guard = order.lock();
        node % 3 == 0 ? order.push_front(node) : order.push_back(node);
      }
      {
        const auto guard = sequence.lock();
        sequence.push_back(node);
      }
      if (i % 5000 == 1) {
        const NodeSet<TypeParam> copy = [&] {
          const auto guard = set.lock();
          return set;
        }();
        const auto guard = other.lock();
        other.unite(copy);
      }
    });
    std::vector<TypeParam> all(kNodes / 2);
    std::iota(all.begin(), all.end(), TypeParam{0});
    EXPECT_EQ(set.items(), all);
    EXPECT_TRUE(other.is_subset_of(set));
    auto ordered = order.items();
    std::ranges::sort(ordered);
    EXPECT_EQ(ordered, all);
    EXPECT_EQ(sequence.size(), kNodes);
  }
}

TEST(GraphCollections, ACopyIsFreeWhateverTheOriginalsLock) {
  NodeSet<std::uint32_t> set;
  const auto guard = set.lock();
  NodeSet<std::uint32_t> copy = set;
  NodeSet<std::uint32_t> assigned;
  assigned = set;
  const auto of_copy = copy.lock();  // would deadlock if the copy shared the original's lock
  const auto of_assigned = assigned.lock();
}

}  // namespace
}  // namespace Atoll::graph
