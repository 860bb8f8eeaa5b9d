// Array: all operations with all layouts, on a fake memory with four nodes and on the backends of
// this machine.
#include "atoll/array/array.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <functional>
#include <memory>
#include <numeric>
#include <string>

#include "atoll/base/error.hpp"
#include "fake_backend.hpp"

namespace Atoll {
namespace {

/// A machine with a team and a backend.
struct System {
  std::string name;
  Machine machine;
  std::unique_ptr<memory::Backend> own;
  memory::Backend* backend;
  ThreadPlaces places;
};

System fake_system() {
  auto fake = std::make_unique<memory::FakeBackend>(memory::four_nodes(1 << 18));
  memory::Backend* backend = fake.get();
  return {"fake",
          memory::four_node_machine(),
          std::move(fake),
          backend,
          {{0, NodeId{0}}, {1, NodeId{0}}, {2, NodeId{1}}}};
}
System system_of(memory::Backend& backend) {
  Machine machine = Machine::this_computer();
  ThreadPlaces places = spread_places(machine, 3);
  return {std::string(backend.name()), std::move(machine), nullptr, &backend, std::move(places)};
}

class ArrayTest : public testing::TestWithParam<int> {
 protected:
  static constexpr std::size_t kSize = 300'001;

  static System make(int which) {
    if (which == 0) return fake_system();
    return system_of(which == 1 ? memory::portable_backend() : memory::system_backend());
  }

  std::vector<Layout> layouts() const {
    std::vector<NodeId> nodes, parts;
    for (const MemoryNode& memory : system_.machine.memories()) nodes.push_back(memory.id);
    for (const ThreadPlace& place : system_.places) parts.push_back(place.node);
    std::vector<Layout> layouts;
    for (const PageSize pages : {PageSize::small, PageSize::huge}) {
      layouts.push_back({SingleNode{nodes.back()}, pages});
      layouts.push_back({Distributed{nodes, page_bytes(pages)}, pages});
      layouts.push_back({Partitioned{parts}, pages});
      layouts.push_back({Replicated{nodes}, pages});
    }
    return layouts;
  }

  /// Checks the local view of every thread in the team.
  template <class T>
  void expect_everywhere(const Array<T>& array,
                         const std::function<T(std::size_t)>& expected) const {
    std::vector<std::size_t> wrong(static_cast<std::size_t>(team_.size()));
    team_.run([&](int thread) {
      const auto local = array.local();
      for (std::size_t i = 0; i < array.size(); ++i)
        wrong[static_cast<std::size_t>(thread)] += local[i] != expected(i);
    });
    for (const std::size_t count : wrong) EXPECT_EQ(count, 0U);
  }

  System system_ = make(GetParam());
  Team team_{system_.places, Team::Runtime::openmp, GetParam() != 0};
  memory::Context context_{system_.machine, team_, *system_.backend};
};

TEST_P(ArrayTest, MovesFromEachLayoutToEachOther) {
  std::vector<std::uint64_t> values(kSize);
  std::iota(values.begin(), values.end(), 17);
  std::vector<Layout> all = layouts();
  const NodeId first = system_.machine.memories().front().id;
  all.push_back({Partitioned{{first, first}, {kSize / 7, kSize}}, PageSize::small});
  for (const Layout& from : all)
    for (const Layout& to : all) {
      SCOPED_TRACE(to_string(from) + " -> " + to_string(to));
      Array<std::uint64_t> array(context_, kSize, from);
      array.copy_from(values);
      array.set(5, 99);  // writes the master copy only
      EXPECT_EQ(array.move_to(context_, to), 0U);
      EXPECT_EQ(array.layout(), to);
      EXPECT_EQ(array.where().size(), to.copies());
      expect_everywhere<std::uint64_t>(array, [](std::size_t i) { return i == 5 ? 99 : i + 17; });
    }
}

TEST_P(ArrayTest, AMoveThatFailsLeavesTheArrayAsItWas) {
  const NodeId first = system_.machine.memories().front().id;
  const NodeId last = system_.machine.memories().back().id;
  const std::vector<NodeId> both = first == last ? std::vector{first} : std::vector{first, last};
  for (const Layout& from :
       {Layout{Replicated{both}, PageSize::small}, Layout{SingleNode{last}, PageSize::small}}) {
    Array<int> array(context_, kSize, from);
    array.fill(3);
    array.set(7, 8);
    const auto unchanged = [&] {
      EXPECT_EQ(array.layout(), from);
      EXPECT_EQ(array.raw().copies(), from.copies());
      EXPECT_EQ(array.master()[7], 8);
      EXPECT_EQ(array.master()[kSize - 1], 3);
    };
    EXPECT_THROW(static_cast<void>(array.move_to(context_, {Distributed{both, 100}})), Error);
    unchanged();
    // within run(), the team isn't available for further work
    team_.run([&](int thread) {
      if (thread != 0) return;
      for (const Layout& to :
           {Layout{SingleNode{first}, PageSize::small}, Layout{SingleNode{first}, PageSize::huge},
            Layout{Replicated{{both.back()}}, PageSize::small},
            Layout{Replicated{both}, PageSize::huge}})
        EXPECT_THROW(static_cast<void>(array.move_to(context_, to)), Error) << to_string(to);
    });
    unchanged();
  }
}

TEST_P(ArrayTest, OutlivesItsTeam) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(to_string(layout));
    auto team = std::make_unique<Team>(system_.places, Team::Runtime::std_threads, GetParam() != 0);
    Array<int> array({system_.machine, *team, *system_.backend}, kSize, layout);
    Array<int> other({system_.machine, *team, *system_.backend}, kSize, layout);
    array.fill(3);
    const std::uint32_t sum = array.crc32();
    team.reset();
    EXPECT_EQ(array.crc32(), sum);
    other.copy_from(array);
    EXPECT_EQ(other.crc32(), sum);
    array.fill(4);
    array.set(5, 9);
    array.sync();
    expect_everywhere<int>(array, [](std::size_t i) { return i == 5 ? 9 : 4; });
    EXPECT_EQ(array.where().size(), layout.copies());
    EXPECT_EQ(array.move_to(context_, layouts().front()), 0U);  // the context has another team
    array.fill(6);
    expect_everywhere<int>(array, [](std::size_t) { return 6; });
  }
}

TEST_P(ArrayTest, AMovedFromArrayIsEmpty) {
  for (const Layout& layout : layouts()) {
    Array<int> array(context_, kSize, layout);
    array.fill(3);
    Array<int> other = std::move(array);
    EXPECT_EQ(array.size(), 0U);  // NOLINT(bugprone-use-after-move): that is what is tested
    EXPECT_FALSE(array.allocated());
    EXPECT_EQ(array.layout(), Array<int>().layout());
    array.fill(1);
    array.sync();
    EXPECT_TRUE(array.local().empty());
    array = std::move(other);
    EXPECT_EQ(other.size(), 0U);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(array.size(), kSize);
    EXPECT_EQ(array.layout(), layout);
    expect_everywhere<int>(array, [](std::size_t) { return 3; });
  }
  static_assert(!std::is_copy_constructible_v<Array<int>> &&
                std::is_nothrow_move_constructible_v<Array<int>> &&
                std::is_nothrow_move_assignable_v<Array<int>>);
}

TEST_P(ArrayTest, ALayoutsPlaceIsEnough) {
  const NodeId node = system_.machine.memories().back().id;
  EXPECT_EQ(Array<int>(context_, 10, SingleNode{node}).layout(), Layout{SingleNode{node}});
  const Replicated copies{{node}};
  EXPECT_EQ(Array<int>(context_, 10, copies).layout(), Layout{copies});
  const Distributed small{{node}};
  EXPECT_EQ(Array<int>(context_, 10, small).layout(), (Layout{small, PageSize::small}));
  const Distributed huge{{node}, page_bytes(PageSize::huge)};
  EXPECT_EQ(Array<int>(context_, 10, huge).layout(), Layout{huge});
}

TEST_P(ArrayTest, RefusesToCopyItsOwnPartsElsewhere) {
  Array<int> array(context_, 100, Layout{SingleNode{system_.machine.memories().front().id}});
  EXPECT_THROW(array.copy_from(array.local().first(50), 1), Error);
  EXPECT_THROW(array.copy_from(array.local().subspan(10), 0), Error);
  array.copy_from(array.local().first(50), 50);  // the ranges don't overlap
}

TEST_P(ArrayTest, RefusesPartsThatDoNotFit) {
  const NodeId first = system_.machine.memories().front().id;
  for (const std::vector<std::uint64_t>& ends :
       {std::vector<std::uint64_t>{100}, {40, 99}, {40, 101}, {101, 100}}) {
    const Layout layout{Partitioned{{first, first}, ends}};
    EXPECT_THROW((Array<int>(context_, 100, layout)), Error);
    Array<int> array(context_, 100, Layout{SingleNode{first}});
    EXPECT_THROW(static_cast<void>(array.move_to(context_, layout)), Error);
    EXPECT_EQ(array.layout(), Layout{SingleNode{first}});
  }
}

TEST_P(ArrayTest, EveryOperationOnEveryLayout) {
  std::vector<std::uint64_t> values(kSize);
  std::iota(values.begin(), values.end(), 17);
  const auto crc = static_cast<std::uint32_t>(crc32_z(
      0, reinterpret_cast<const Bytef*>(values.data()), values.size() * sizeof(std::uint64_t)));
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(to_string(layout));
    Array<std::uint64_t> array(context_, kSize, layout);
    EXPECT_EQ(array.size(), kSize);
    EXPECT_EQ(array.layout(), layout);
    EXPECT_EQ(array.where().size(), layout.copies());
    for (const CopyWhereabouts& copy : array.where())
      EXPECT_EQ(copy.pages.size(), (kSize * 8 + 4095) / 4096);
    expect_everywhere<std::uint64_t>(array, [](std::size_t) { return 0; });
    array.fill(7);
    expect_everywhere<std::uint64_t>(array, [](std::size_t) { return 7; });
    array.copy_from(values);
    expect_everywhere<std::uint64_t>(array, [](std::size_t i) { return i + 17; });
    EXPECT_EQ(array.crc32(), crc);

    Array<std::uint64_t> other(context_, kSize, layouts().front());
    other.copy_from(array);
    EXPECT_EQ(other.crc32(), crc);
    swap(array, other);
    EXPECT_EQ(array.layout(), layouts().front());
    EXPECT_EQ(other.layout(), layout);

    other.set(3, 1);
    other.sync();
    other.copy_from(std::span(values).first(2), kSize - 2);
    EXPECT_EQ(other.get(3), 1U);
    expect_everywhere<std::uint64_t>(other, [](std::size_t i) {
      return i == 3 ? 1 : i >= kSize - 2 ? 17 + (i - (kSize - 2)) : i + 17;
    });
  }
}

TEST_P(ArrayTest, ElementsOfEverySize) {
  struct Odd {
    char bytes[7];
    bool operator==(const Odd&) const = default;
  };
  for (const Layout& layout : layouts()) {
    Array<Odd> array(context_, 10'007, layout);
    array.fill({{'a', 't', 'o', 'l', 'l', '!', 0}});
    for (std::size_t i = 0; i < array.size(); ++i) ASSERT_EQ(array.get(i).bytes[5], '!') << i;
  }
}

TEST_P(ArrayTest, FromAPattern) {
  const Array<double> array(context_, kSize, pattern_of({.read_only = true}));
  EXPECT_TRUE(array.allocated());
  const Array<double> unused(context_, std::size_t{1} << 50, pattern_of({.used = false}));
  EXPECT_FALSE(unused.allocated());
  EXPECT_EQ(unused.size(), std::size_t{1} << 50);
  EXPECT_TRUE(unused.where().empty());
  EXPECT_TRUE(unused.local().empty());
}

TEST_P(ArrayTest, Refuses) {
  const NodeId missing{77};
  const NodeId there = system_.machine.memories().front().id;
  for (const Layout& wrong : {Layout{SingleNode{missing}}, Layout{Replicated{{there, missing}}},
                              Layout{Distributed{{}, 4096}}, Layout{Partitioned{{}}}})
    EXPECT_THROW(Array<int>(context_, 10, wrong), Error);
  EXPECT_THROW(Array<int>(context_, SIZE_MAX / 2, Layout{SingleNode{there}}), Error);
  EXPECT_THROW(Array<int>(context_, SIZE_MAX / 8, Layout{SingleNode{there}}), Error);
  Array<int> ten(context_, 10, Layout{SingleNode{there}});
  const Array<int> nine(context_, 9, Layout{SingleNode{there}});
  EXPECT_THROW(ten.copy_from(nine), Error);
  const std::vector<int> eleven(11);
  EXPECT_THROW(ten.copy_from(eleven), Error);
  EXPECT_THROW(ten.copy_from(std::span(eleven).first(2), 9), Error);
}

TEST_P(ArrayTest, NoElements) {
  Array<int> none(context_, 0, layouts().front());
  none.fill(1);
  none.sync();
  EXPECT_EQ(none.crc32(), 0U);
  EXPECT_TRUE(none.local().empty());
  EXPECT_EQ(Array<int>().size(), 0U);
}

TEST(ArrayOnFourNodes, EachThreadReadsTheNearestCopy) {
  System system = fake_system();
  const Team team(system.places, Team::Runtime::std_threads, false);
  const memory::Context context{system.machine, team, *system.backend};
  const Array<int> array(context, 5000, Layout{Replicated{{NodeId{2}, NodeId{3}, NodeId{1}}}});
  std::vector<const int*> read(3);
  team.run([&](int thread) { read[static_cast<std::size_t>(thread)] = array.local().data(); });
  const auto copy = [&](std::size_t which) {
    return reinterpret_cast<const int*>(array.raw().copy(which));
  };
  EXPECT_EQ(read[0], copy(0))
      << "node 0: the copy on node 2 (100 ns) is nearer than node 1's (130)";
  EXPECT_EQ(read[1], copy(0));
  EXPECT_EQ(read[2], copy(2)) << "node 1: its own";
}

TEST(ArrayOnFourNodes, EachPartIsCopiedFromTheNearestCopy) {
  System system = fake_system();
  const Team team(system.places, Team::Runtime::std_threads, false);
  const memory::Context context{system.machine, team, *system.backend};
  const Array<int> source(context, 5000, Layout{Replicated{{NodeId{0}, NodeId{1}}}});
  const Array<int> target(context, 5000,
                          Layout{Distributed{{NodeId{0}, NodeId{1}}, 4096}, PageSize::small});
  const memory::CopyJob job = target.raw().copy_job(source.raw());
  EXPECT_EQ(job.bytes(), 20000U);
  ASSERT_EQ(job.pieces.size(), 3U) << "a slice for each thread";
  for (const memory::CopyPiece& piece : job.pieces) {
    const std::ptrdiff_t offset = piece.to - target.raw().copy(0);
    EXPECT_EQ(piece.from - source.raw().copy(piece.node.value), offset) << piece.node.value;
  }
}

/// An engine that records jobs and executes them on the calling thread.
class RememberingEngine : public memory::CopyEngine {
 public:
  std::string_view name() const override { return "remembering"; }
  bool blocks() const override { return true; }
  bool can(const memory::CopyJob& job) const override { return job.pattern.size() <= 8; }
  std::unique_ptr<memory::CopyOperation> start(memory::CopyJob job) override {
    jobs.push_back(job);
    return serial_->start(std::move(job));
  }
  std::vector<memory::CopyJob> jobs;

 private:
  std::unique_ptr<memory::CopyEngine> serial_ = memory::serial_engine();
};

TEST(ArrayOnFourNodes, TheContextsEngineCopies) {
  System system = fake_system();
  auto team = std::make_unique<Team>(system.places, Team::Runtime::std_threads, false);
  const auto engine = std::make_shared<RememberingEngine>();
  const memory::Context context{system.machine, *team, *system.backend, engine};
  const Layout replicated{Replicated{{NodeId{2}, NodeId{3}, NodeId{1}}}};
  Array<int> array(context, 5000, replicated), other(context, 5000, replicated);
  // Each operation is one job. The job has a piece for each copy that it writes.
  const auto expect_job = [&](std::size_t pieces, std::size_t pattern, const auto& work) {
    engine->jobs.clear();
    work();
    ASSERT_EQ(engine->jobs.size(), 1U);
    EXPECT_EQ(engine->jobs[0].pieces.size(), pieces);
    EXPECT_EQ(engine->jobs[0].pattern.size(), pattern);
  };
  const std::vector<int> values(1000, 4);
  expect_job(3, 4, [&] { array.fill(3); });
  expect_job(3, 0, [&] { other.copy_from(array); });
  expect_job(3, 0, [&] { other.copy_from(values, 500); });
  other.set(7, 5);
  expect_job(2, 0, [&] { other.sync(); });
  expect_job(2, 0, [&] {  // copies from the old master copy, on node 2
    other.move_to(context, {Replicated{{NodeId{1}, NodeId{0}}}, PageSize::huge});
  });
  for (std::size_t copy = 0; copy < other.raw().copies(); ++copy) {
    const auto* const content = reinterpret_cast<const int*>(other.raw().copy(copy));
    for (std::size_t i = 0; i < 5000; ++i)
      ASSERT_EQ(content[i], i == 7 ? 5 : i >= 500 && i < 1500 ? 4 : 3) << copy << " " << i;
  }

  // Jobs that the engine can't execute, and jobs after the team was destroyed, are executed without
  // it.
  engine->jobs.clear();
  using Wide = std::array<int, 3>;
  Array<Wide> wide(context, 100, replicated);
  wide.fill({1, 2, 3});
  EXPECT_EQ(wide.get(99), (Wide{1, 2, 3}));
  team.reset();
  array.fill(8);
  EXPECT_EQ(array.get(4999), 8);
  EXPECT_TRUE(engine->jobs.empty());
}

std::string name_of(const testing::TestParamInfo<int>& info) {
  static constexpr const char* kNames[] = {"fake", "portable", "system"};
  return kNames[info.param];
}
INSTANTIATE_TEST_SUITE_P(Backends, ArrayTest, testing::Values(0, 1, 2), name_of);

}  // namespace
}  // namespace Atoll
