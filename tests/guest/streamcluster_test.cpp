// Streamcluster on several nodes. After each chunk, checks from which node each thread reads
// coordinates, and where their pages are, according to the kernel.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sched.h>

#include <atomic>
#include <mutex>
#include <set>

#include "guest_system.hpp"
#include "streamcluster/centres.hpp"
#include "streamcluster/local_search.hpp"
#include "streamcluster/stream.hpp"

namespace streamcluster {
namespace {

using Atoll::NodeId;
using Atoll::guest::kPage;
using Atoll::guest::node_of;
using Atoll::guest::nodes_of_pages;
using Atoll::guest::write_file;

NodeId node_of_this_thread() {
  unsigned unit = 0, node = 0;
  EXPECT_EQ(::getcpu(&unit, &node), 0);
  return NodeId{node};
}

std::atomic<std::uint64_t> near, far;

/// Counts whether the coordinates that this thread is about to read are on its node.
void costs_watched(const DistanceTask& task) {
  const float* const first = task.coordinates + task.rows[task.begin] * task.dimensions;
  (node_of(first) == node_of_this_thread() ? near : far) += task.end - task.begin;
  costs_in_order(task);
}

class StreamclusterInGuest : public testing::Test {
 protected:
  /// Clusters three chunks, of which the last one is short. Returns the text of the output file.
  /// Calls check(chunk) after each chunk.
  template <class Check>
  std::string cluster(bool annotated, Check&& check) {
    near = far = 0;
    Draws draws;
    Stream stream(20'000, "", sizes_.dimensions, draws);
    const auto list = [&](std::size_t capacity) {
      const auto choices = choose_layouts(requests(sizes_, capacity, ""), machine_, team_.places(),
                                          {.policy = Atoll::LayoutPolicy::shoal});
      EXPECT_TRUE(std::holds_alternative<Atoll::Replicated>(choices.front().layout.where));
      const Placement placement{context_, choices};
      return make_points(sizes_, capacity, annotated ? &placement : nullptr);
    };
    Points chunk = list(sizes_.points);
    Centres centres(list(sizes_.centres), sizes_.centres);
    while (stream.left() > 0) {
      const std::uint64_t before = stream.points_read();
      stream.read(chunk, sizes_.points);
      LocalSearch(team_, draws, costs_watched, sizes_, chunk).run();
      check(chunk);
      move_to_means(chunk);
      centres.append(chunk, before);
    }
    centres.points().coordinates.sync();
    LocalSearch(team_, draws, costs_in_order, sizes_, centres.points()).run();
    move_to_means(centres.points());
    return centres.text();
  }

  /// Calls check(nodes, own node) in each thread. `nodes` are those of all whole pages of the
  /// coordinates that the thread reads.
  void for_each_threads_pages(const Points& chunk, auto&& check) const {
    team_.run([&](int) {
      const auto* const data = reinterpret_cast<const std::byte*>(chunk.coordinates.local());
      const std::size_t before = -reinterpret_cast<std::uintptr_t>(data) % kPage;
      const std::size_t bytes = chunk.count * chunk.dimensions * sizeof(float);
      const auto nodes = nodes_of_pages(data + before, (bytes - before) / kPage * kPage);
      check(std::set<NodeId>(nodes.begin(), nodes.end()), node_of_this_thread());
    });
  }

  const Sizes sizes_{.least = 3, .most = 6, .dimensions = 16, .points = 8'000, .centres = 200};
  const Atoll::Machine machine_ = Atoll::Machine::this_computer();
  const Atoll::Team team_{spread_places(machine_)};
  const Atoll::memory::Context context_{machine_, team_};
};

TEST_F(StreamclusterInGuest, EveryNodeReadsItsOwnCopyChunkAfterChunk) {
  std::mutex mutex;
  std::set<NodeId> readers;
  int chunks = 0;
  const std::string text = cluster(true, [&](const Points& chunk) {
    ++chunks;
    for_each_threads_pages(chunk, [&](const std::set<NodeId>& pages, NodeId reader) {
      const std::lock_guard lock(mutex);
      readers.insert(reader);
      EXPECT_EQ(pages, std::set<NodeId>{reader});
    });
  });
  EXPECT_EQ(chunks, 3);
  EXPECT_GT(readers.size(), 1U);
  EXPECT_EQ(far, 0U);
  EXPECT_GT(near, 1'000'000U);
  EXPECT_EQ(text, cluster(false, [](const Points&) {}));
}

TEST_F(StreamclusterInGuest, TheBaselinesCoordinatesLieOnOneNode) {
  const std::string balancing = "/proc/sys/kernel/numa_balancing";
  write_file(balancing, "0");  // would move pages to the reading threads
  malloc_trim(0);              // pages freed by other tests are unmapped, as in a new process
  std::mutex mutex;
  std::set<NodeId> nodes;
  cluster(false, [&](const Points& chunk) {
    for_each_threads_pages(chunk, [&](const std::set<NodeId>& pages, NodeId) {
      const std::lock_guard lock(mutex);
      nodes.insert(pages.begin(), pages.end());
    });
  });
  EXPECT_EQ(nodes, std::set<NodeId>{node_of_this_thread()});
  write_file(balancing, "1");
  EXPECT_GT(far, near / 2);  // all threads on other nodes
}

}  // namespace
}  // namespace streamcluster
