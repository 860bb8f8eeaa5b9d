// Home nodes of chunks: the nodes of their elements, for any layout and element size. Each chunk is
// in exactly one queue.
#include "atoll/parallel/chunk_queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "atoll/array/array.hpp"
#include "fake_backend.hpp"

namespace Atoll {
namespace {

constexpr NodeId n0{0}, n1{1}, n2{2}, n3{3};
using Chunks = std::vector<std::size_t>;

Chunks taken(ChunkQueues& queues, std::size_t thread, LoopSchedule schedule) {
  ChunkQueues::Taker taker(queues, thread, schedule);
  Chunks chunks;
  for (std::size_t chunk = 0; taker.take(chunk);) chunks.push_back(chunk);
  if (std::size_t none = 0; taker.take(none)) ADD_FAILURE() << "one more after the last";
  return chunks;
}

Chunks run_of(std::size_t begin, std::size_t end) {
  Chunks chunks(end - begin);
  std::iota(chunks.begin(), chunks.end(), begin);
  return chunks;
}

struct Twelve {  // an element size at which chunks and granules aren't aligned
  std::array<std::uint32_t, 3> words;
};

class ChunkQueuesTest : public testing::Test {
 protected:
  /// Returns the chunks in each thread's own queue.
  std::vector<Chunks> own(const RawArray& array, LoopSchedule schedule) const {
    std::vector<Chunks> own;
    for (std::size_t thread = 0; thread < places_.size(); ++thread) {
      ChunkQueues queues(team_.neighbours(), array, schedule);
      own.push_back(taken(queues, thread, LoopSchedule::fixed));
    }
    return own;
  }
  std::vector<Chunks> equal_parts(std::size_t chunks) const {
    return {run_of(0, chunks / 3), run_of(chunks / 3, chunks * 2 / 3),
            run_of(chunks * 2 / 3, chunks)};
  }

  /// Checks that each chunk is in the queue of a thread on the node that has at least three
  /// quarters of the chunk. Up to `stray` chunks may be in other queues.
  template <class T>
  void expect_at_home(const Array<T>& array, const std::map<NodeId, NodeId>& threads_of,
                      std::size_t stray) const {
    const std::vector<NodeId> pages = array.where().front().pages;
    std::set<std::size_t> seen;
    std::size_t strays = 0;
    const std::vector<Chunks> queues = own(array.raw(), LoopSchedule::dynamic);
    for (std::size_t thread = 0; thread < queues.size(); ++thread)
      for (const std::size_t chunk : queues[thread]) {
        EXPECT_TRUE(seen.insert(chunk).second) << chunk;
        const std::size_t begin = chunk * kLoopChunk,
                          end = std::min(array.size(), begin + kLoopChunk);
        std::size_t here = 0;
        for (std::size_t i = begin; i < end; ++i)
          here += threads_of.at(pages[i * sizeof(T) / kPageBytes]) == places_[thread].node ? 1 : 0;
        strays += 4 * here < 3 * (end - begin) ? 1 : 0;
      }
    EXPECT_EQ(seen.size(), (array.size() + kLoopChunk - 1) / kLoopChunk);
    EXPECT_LE(strays, stray);
  }

  const Machine machine_ = memory::four_node_machine();
  const ThreadPlaces places_ = listed_places(machine_, std::vector{0, 1, 2});  // nodes 0, 0, 1
  const Team team_{places_, Team::Runtime::std_threads, false};
  memory::FakeBackend fake_{memory::four_nodes(1 << 16)};
  const memory::Context context_{machine_, team_, fake_};
  const std::map<NodeId, NodeId> nearest_{{n0, n0}, {n1, n1}, {n2, n0}, {n3, n1}};
};

TEST_F(ChunkQueuesTest, PartsAreAtHomeOnTheirNodes) {
  for (const std::size_t size : {100'000, 1'000'003, 1024 * 1024}) {
    const Array<double> by_thread(context_, size, {Partitioned{{n0, n0, n1}}, PageSize::small});
    expect_at_home(by_thread, nearest_, 1);
    EXPECT_EQ(own(by_thread.raw(), LoopSchedule::fixed).back().back(), (size - 1) / kLoopChunk);
    const Array<double> backwards(context_, size, {Partitioned{{n1, n0}}, PageSize::small});
    expect_at_home(backwards, nearest_, 1);
    const Array<Twelve> uneven(context_, size, {Partitioned{{n1, n0, n0, n1}}, PageSize::small});
    expect_at_home(uneven, nearest_, 3);
  }
  // Parts begin at a huge page, so the second part doesn't begin at the middle element.
  const Array<double> huge(context_, 700'000, {Partitioned{{n1, n0}}, PageSize::huge});
  expect_at_home(huge, nearest_, 1);
}

TEST_F(ChunkQueuesTest, GranulesAreAtHomeOnTheirNodes) {
  const std::size_t size = 1'000'003;
  const Array<double> fitting(context_, size, {Distributed{{n0, n1}, 64 << 10}, PageSize::small});
  expect_at_home(fitting, nearest_, 0);
  const Array<std::uint8_t> bytes(context_, size,
                                  {Distributed{{n1, n0, n0}, 8 << 10}, PageSize::small});
  expect_at_home(bytes, nearest_, 0);
  // chunks of 12 KiB on granules of 256 KiB: groups of 4 chunks, one group in six across a boundary
  const Array<Twelve> uneven(context_, size, {Distributed{{n0, n1}, 256 << 10}, PageSize::small});
  expect_at_home(uneven, nearest_, size / kLoopChunk / 6);
}

TEST_F(ChunkQueuesTest, AMemoryWithoutThreadsIsAtHomeWithTheNearest) {
  const Array<double> array(context_, 500'000,
                            {Distributed{{n2, n1, n3, n0}, 128 << 10}, PageSize::small});
  expect_at_home(array, nearest_, 0);
}

TEST_F(ChunkQueuesTest, LayoutsThatPreferNobodyAreSharedEqually) {
  const std::size_t size = 300'000, chunks = (size + kLoopChunk - 1) / kLoopChunk;
  for (const Layout& layout :
       {Layout{SingleNode{n1}, PageSize::small}, Layout{Replicated{{n0, n1}}, PageSize::small},
        Layout{Distributed{{n0, n1}, 4096}, PageSize::small},
        Layout{Distributed{{n1, n1}, 1 << 20}, PageSize::small}})
    for (const LoopSchedule schedule : {LoopSchedule::fixed, LoopSchedule::dynamic})
      EXPECT_EQ(own(Array<double>(context_, size, layout).raw(), schedule), equal_parts(chunks))
          << to_string(layout);
  Choice unused;
  unused.allocated = false;
  EXPECT_EQ(own(Array<double>(context_, size, unused).raw(), LoopSchedule::dynamic),
            equal_parts(chunks));
}

TEST_F(ChunkQueuesTest, FixedLetsNoThreadGoWithout) {
  const std::size_t size = 300'000, chunks = (size + kLoopChunk - 1) / kLoopChunk;
  const Array<double> array(context_, size, {Partitioned{{n1, n1, n1, n0}}, PageSize::small});
  EXPECT_EQ(own(array.raw(), LoopSchedule::fixed), equal_parts(chunks));
  expect_at_home(array, nearest_, 1);  // dynamic: threads without chunks steal from others
}

TEST_F(ChunkQueuesTest, PartsOfGivenBoundsAreFollowed) {
  const std::size_t size = 300'000, chunks = (size + kLoopChunk - 1) / kLoopChunk;
  for (const LoopSchedule schedule : {LoopSchedule::fixed, LoopSchedule::dynamic}) {
    // one part per thread, one of them empty: shares of 20 % and 80 %
    const Array<double> by_thread(
        context_, size, {Partitioned{{n0, n0, n1}, {60'000, 60'000, size}}, PageSize::small});
    EXPECT_EQ(own(by_thread.raw(), schedule),
              (std::vector<Chunks>{run_of(0, 59), {}, run_of(59, chunks)}));
    // one part per node: node 1's thread has four fifths
    const Array<double> by_node(context_, size,
                                {Partitioned{{n1, n0}, {240'000, size}}, PageSize::small});
    expect_at_home(by_node, nearest_, 1);
    EXPECT_EQ(own(by_node.raw(), schedule)[2], run_of(0, 234));
  }
}

TEST_F(ChunkQueuesTest, NoElementsNoChunks) {
  const Array<double> array(context_, 0, {Partitioned{{n0, n1}}, PageSize::small});
  for (const LoopSchedule schedule : {LoopSchedule::fixed, LoopSchedule::dynamic})
    EXPECT_EQ(own(array.raw(), schedule), (std::vector<Chunks>(3)));
}

TEST_F(ChunkQueuesTest, OneThreadAloneTakesEveryChunkOnceNearestFirst) {
  const Array<double> array(context_, 500'000, {Partitioned{{n0, n0, n1}}, PageSize::small});
  for (std::size_t thread = 0; thread < 3; ++thread) {
    ChunkQueues queues(team_.neighbours(), array.raw(), LoopSchedule::dynamic);
    const std::vector<Chunks> own_of = own(array.raw(), LoopSchedule::dynamic);
    const std::array<std::array<std::size_t, 3>, 3> way{{{0, 1, 2}, {1, 0, 2}, {2, 0, 1}}};
    Chunks expected;
    for (const std::size_t victim : way[thread])
      expected.insert(expected.end(), own_of[victim].begin(), own_of[victim].end());
    EXPECT_EQ(taken(queues, thread, LoopSchedule::dynamic), expected);
  }
}

TEST_F(ChunkQueuesTest, NothingIsTakenAfterAStop) {
  ChunkQueues queues(team_.neighbours(), 100);
  ChunkQueues::Taker taker(queues, 0, LoopSchedule::dynamic);
  std::size_t chunk = 0;
  EXPECT_TRUE(taker.take(chunk));
  queues.stop();
  EXPECT_FALSE(taker.take(chunk));
}

TEST_F(ChunkQueuesTest, PartsOfHugeRangesDoNotOverflow) {
  const std::size_t chunks = ~std::size_t{0};
  for (std::size_t thread = 0; thread < 3; ++thread) {
    ChunkQueues queues(team_.neighbours(), chunks);
    ChunkQueues::Taker taker(queues, thread, LoopSchedule::fixed);
    std::size_t chunk = 0;
    ASSERT_TRUE(taker.take(chunk));
    EXPECT_EQ(chunk, chunks / 3 * thread);  // 2^64 - 1 is a multiple of 3
  }
}

}  // namespace
}  // namespace Atoll
