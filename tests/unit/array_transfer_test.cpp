// Transfers between arrays reach every copy, on every layout.
#include "atoll/array/transfer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "atoll/base/error.hpp"
#include "fake_backend.hpp"

namespace Atoll {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class ArrayTransfer : public testing::TestWithParam<std::string> {
 protected:
  static constexpr std::size_t kSize = 200'001;

  ArrayTransfer() {
    engines_.add(memory::parallel_engine(team_));
    engines_.add(
        memory::background_engine({.places = team_.places(), .low_priority = false, .pin = false}));
    values_.resize(kSize);
    std::iota(values_.begin(), values_.end(), 5);
  }
  memory::TransferOptions how() const {
    if (GetParam() == "split") return {.engine = "parallel", .share = 0.4, .rest = "background"};
    return {.engine = GetParam()};
  }
  std::vector<Layout> layouts() const {
    const std::vector<NodeId> nodes{NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}};
    return {{SingleNode{NodeId{2}}, PageSize::small},
            {Distributed{nodes, 4096}, PageSize::small},
            {Partitioned{nodes}, PageSize::small},
            {Replicated{nodes}, PageSize::small},
            {Replicated{{NodeId{3}, NodeId{1}}}, PageSize::huge}};
  }
  static void expect_copies(const Array<int>& array, const std::vector<int>& expected) {
    ASSERT_GT(array.raw().copies(), 0u);
    for (std::size_t copy = 0; copy < array.raw().copies(); ++copy)
      EXPECT_EQ(std::memcmp(array.raw().copy(copy), expected.data(), array.raw().bytes()), 0)
          << "copy " << copy;
  }

  const Machine machine_ = memory::four_node_machine();
  const Team team_{
      {{0, NodeId{0}}, {1, NodeId{1}}, {2, NodeId{3}}}, Team::Runtime::std_threads, false};
  memory::FakeBackend backend_{memory::four_nodes(1 << 18)};
  const memory::Context context_{machine_, team_, backend_};
  memory::CopyEngines engines_{memory::measure_copy};
  std::vector<int> values_;
};

TEST_P(ArrayTransfer, BetweenAnyTwoLayouts) {
  for (const Layout& from : layouts())
    for (const Layout& to : layouts()) {
      Array<int> source(context_, kSize, from), target(context_, kSize, to);
      source.copy_from(values_);
      memory::Transfer transfer = start_copy(engines_, target, source, how());
      transfer.wait();
      expect_copies(target, values_);
      EXPECT_EQ(transfer.poll().bytes, target.raw().copies() * target.raw().bytes());
    }
}

TEST_P(ArrayTransfer, FromPlainMemoryToAPosition) {
  for (const Layout& layout : layouts()) {
    Array<int> target(context_, kSize, layout);
    start_fill(engines_, target, 77, how()).wait();
    expect_copies(target, std::vector<int>(kSize, 77));
    const std::vector<int> part(60'000, 3);
    start_copy(engines_, target, part, 1'001, how()).wait();
    std::vector<int> expected(kSize, 77);
    std::fill_n(expected.begin() + 1'001, part.size(), 3);
    expect_copies(target, expected);
  }
}

TEST_P(ArrayTransfer, RefusesOtherSizesAndItself) {
  Array<int> target(context_, 1000, layouts().front()), other(context_, 999, layouts().front());
  EXPECT_THAT([&] { start_copy(engines_, target, other, how()).wait(); },
              ThrowsMessage<Error>(HasSubstr("copying 999 elements of 4 bytes into 1000")));
  EXPECT_THAT([&] { start_copy(engines_, target, target, how()).wait(); },
              ThrowsMessage<Error>(HasSubstr("overlaps")));
  EXPECT_THAT([&] { start_copy(engines_, target, values_, 0, how()).wait(); },
              ThrowsMessage<Error>(HasSubstr("200001 elements to position 0 of 1000")));
  EXPECT_THROW(start_copy(engines_, target, std::vector<int>(2), SIZE_MAX, how()).wait(), Error);
}

TEST_P(ArrayTransfer, NothingToDo) {
  Array<int> none, empty(context_, 0, layouts().front());
  start_copy(engines_, none, empty, how()).wait();
  start_fill(engines_, empty, 3, how()).wait();
  Array<int> target(context_, 10, layouts().front());
  start_copy(engines_, target, std::span<const int>(), 10, how()).wait();
  expect_copies(target, std::vector<int>(10, 0));
}

INSTANTIATE_TEST_SUITE_P(Engines, ArrayTransfer,
                         testing::Values("parallel", "background", "split", "auto"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace Atoll
