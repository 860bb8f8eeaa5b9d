// Budgets: given ones, and those that follow from the available memory, on a machine of four nodes.
#include "atoll/memory/budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_backend.hpp"
#include "memory/headroom.hpp"

namespace Atoll::memory {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;

constexpr NodeId kNodes[] = {NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}};

class MemoryBudget : public testing::Test {
 protected:
  std::uint64_t budget(std::vector<NodeId> nodes, std::optional<std::uint64_t> asked = {}) const {
    return budget_bytes(machine_, backend_, nodes, asked);
  }
  const Machine machine_ = four_node_machine();  // 1 GiB in each node
  FakeBackend backend_{four_nodes(100'000)};     // 390 MiB available in each node
};

TEST_F(MemoryBudget, AGivenOneIsTakenUpToTheMemoryThatExists) {
  EXPECT_EQ(budget({}, 4 * kGiB), 4 * kGiB);
  EXPECT_EQ(budget({kNodes[2]}, kGiB), kGiB);
  EXPECT_EQ(budget({kNodes[2], kNodes[3], kNodes[2]}, 2 * kGiB), 2 * kGiB);
  EXPECT_EQ(budget({}, 1), 1u);
  const auto refuses = [&](std::vector<NodeId> nodes, std::uint64_t asked, const char* text) {
    EXPECT_THAT([&] { static_cast<void>(budget(nodes, asked)); },
                Throws<Error>(AllOf(Property(&Error::kind, Error::Kind::input),
                                    Property(&Error::what, HasSubstr(text)))));
  };
  refuses({}, 4 * kGiB + 1, "4 GiB are more than the 4 GiB of nodes 0, 1, 2, 3; give at most");
  refuses({kNodes[2]}, 3 * kGiB, "3 GiB are more than the 1 GiB of node 2");
  refuses({kNodes[2], kNodes[2]}, 2 * kGiB, "of node 2");
  refuses({}, 0, "0 bytes");
  refuses({NodeId{7}}, 1000, "7");
}

TEST_F(MemoryBudget, AnUnknownCapacityIsNoBound) {
  Machine::Data data = machine_.data();
  data.memories[2].capacity_bytes = 0;
  const Machine machine(std::move(data), "test");
  EXPECT_EQ(budget_bytes(machine, backend_, std::span(&kNodes[2], 1), 3 * kGiB), 3 * kGiB);
}

TEST_F(MemoryBudget, WithoutOneItIsTheMostThatAFillAccepts) {
  for (const std::int64_t pages : {0, 50'001, 20'000}) {
    backend_.others_take(kNodes[1], pages);
    const std::uint64_t bytes = budget({});
    EXPECT_EQ(bytes % kPageBytes, 0u);
    const Headroom accepted(backend_, bytes, PageSize::small);
    EXPECT_THROW(Headroom(backend_, bytes + kPageBytes, PageSize::small), Error);
  }
  backend_.cgroup_bytes = 200 * kMiB;
  EXPECT_LT(budget({}), 200 * kMiB);
  EXPECT_GT(budget({}), 199 * kMiB);
  const Headroom accepted(backend_, budget({}), PageSize::small);
}

TEST_F(MemoryBudget, WithoutOneItIsBoundByTheNodes) {
  const std::uint64_t one = 100'000 * kPageBytes;
  EXPECT_LT(budget({kNodes[2]}), one);
  EXPECT_GT(budget({kNodes[2]}), one - kMiB);
  EXPECT_GT(budget({kNodes[2], kNodes[3]}), 2 * (one - kMiB));
  EXPECT_EQ(budget({kNodes[2], kNodes[2]}), budget({kNodes[2]}));
  backend_.others_take(kNodes[2], 100'000);
  EXPECT_THAT([&] { static_cast<void>(budget({kNodes[2]})); },
              Throws<Error>(AllOf(Property(&Error::kind, Error::Kind::memory),
                                  Property(&Error::what, HasSubstr("available on node 2")))));
}

TEST(PageTables, InverseIsTheLargestThatFits) {
  for (std::uint64_t bytes = 64 * kKiB; bytes < 64 * kKiB + 5000; ++bytes) {
    const std::uint64_t pages = without_page_tables(bytes);
    ASSERT_LE(with_page_tables(pages), bytes);
    ASSERT_GT(with_page_tables(pages + 1), bytes);
  }
  EXPECT_EQ(without_page_tables(1000), 0u);
}

}  // namespace
}  // namespace Atoll::memory
