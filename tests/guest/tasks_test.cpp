// Schedules and packed data on several nodes: the node that a task's thread runs on, and the node
// of each page, according to the kernel.
#include <gtest/gtest.h>
#include <numaif.h>
#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <numeric>
#include <random>
#include <vector>

#include "atoll/array/array.hpp"
#include "atoll/parallel/renumbering.hpp"

namespace Atoll {
namespace {

constexpr std::size_t kPage = 4096;
NodeId node_of_page(const void* address) {
  int node = -1;
  EXPECT_EQ(get_mempolicy(&node, nullptr, 0, const_cast<void*>(address), MPOL_F_NODE | MPOL_F_ADDR),
            0);
  return NodeId{static_cast<std::uint32_t>(node)};
}
NodeId node_of_this_thread() {
  unsigned unit = 0, node = 0;
  EXPECT_EQ(::getcpu(&unit, &node), 0);
  return NodeId{node};
}

class TasksInGuest : public testing::Test {
 protected:
  /// Returns random lists. The lists of later threads are longer.
  ScheduledLoop lists(std::uint64_t size, std::uint64_t chunk) const {
    ScheduledLoop loop{"loop", size, chunk, 0, {}, {}};
    loop.tasks.resize(loop.task_count());
    std::iota(loop.tasks.begin(), loop.tasks.end(), 0U);
    std::shuffle(loop.tasks.begin(), loop.tasks.end(), std::mt19937(1));
    const std::size_t threads = team_.places().size();
    for (std::size_t thread = 0; thread <= threads; ++thread)
      loop.begin.push_back(loop.tasks.size() * thread * (thread + 1) / (threads * (threads + 1)));
    return loop;
  }

  Machine machine_ = Machine::this_computer();
  Team team_{spread_places(machine_)};
  memory::Context context_{machine_, team_};
};

TEST_F(TasksInGuest, TasksRunOnTheNodesWhereTheyAreScheduled) {
  const std::size_t size = 20'000;
  const ScheduledLoop loop = lists(size, 3);
  std::vector<NodeId> scheduled(size), ran(size);
  for (std::size_t thread = 0; thread < team_.places().size(); ++thread)
    for (const std::uint32_t task : loop.of(thread))
      for (std::size_t i = 3 * task; i < std::min<std::size_t>(size, 3 * task + 3); ++i)
        scheduled[i] = team_.places()[thread].node;
  const FollowedSchedule schedule({{team_.places().begin(), team_.places().end()}, {loop}},
                                  {.strict = true});
  for_each_task(team_, "loop", size, 3, [&](std::size_t i) { ran[i] = node_of_this_thread(); },
                {.follow = &schedule});
  EXPECT_EQ(ran, scheduled);
}

TEST_F(TasksInGuest, PackedPagesLieWhereTheirTasksRun) {
  const std::size_t size = 1'000'000;
  const ScheduledLoop loop = lists(size, 7);
  const Packing packing(team_, loop);
  std::vector<double> from(size, 1.5);
  Array<double> placed(context_, size, {packing.layout(), PageSize::small});
  packing.pack<double>(from, placed.master());
  // Memory without pages yet. Each thread touches its own part first.
  auto* const untouched = static_cast<double*>(mmap(
      nullptr, size * sizeof(double), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(untouched, MAP_FAILED);
  ASSERT_EQ(madvise(untouched, size * sizeof(double), MADV_NOHUGEPAGE), 0);
  packing.pack<double>(from, {untouched, size});
  std::atomic<std::size_t> far{0}, pages{0};
  for_each_packed(packing, [&](std::size_t begin, std::size_t end, std::size_t thread) {
    const Packing::Part part = packing.part(thread);
    const NodeId here = node_of_this_thread();
    for (std::size_t i = begin; i < end; i += kPage / sizeof(double)) {
      if (i < part.begin + kPage || i + kPage > part.end) continue;  // page shared by two threads
      ++pages;
      if (node_of_page(placed.local().data() + i) != here) ++far;
      if (node_of_page(untouched + i) != here) ++far;
    }
  });
  EXPECT_GT(pages, 1000U);
  EXPECT_EQ(far, 0U);
  munmap(untouched, size * sizeof(double));
}

TEST_F(TasksInGuest, RenumberedElementsAndPrivateCopiesLieOnTheNodeOfTheFirstThatUsesThem) {
  const std::size_t size = 400'000;
  const ScheduledLoop loop = lists(size, 1);
  const Packing packing(team_, loop);
  std::vector<std::uint32_t> index(size), packed(size);
  for (std::uint32_t i = 0; i < size; ++i) index[i] = i;  // task i uses element i and element 0
  packing.pack<std::uint32_t>(index, packed);
  const Renumbering elements(packing, size, Renumbering::Use::written,
                             [&](std::size_t i, auto&& visit) {
                               visit(packed[i]);
                               visit(std::size_t{0});
                             });
  EXPECT_EQ(elements.shared().end - elements.shared().begin, 1U);
  const Array<double> array(context_, size, {elements.layout(), PageSize::small});
  elements.rewrite<std::uint32_t>(packed);
  const PrivateCopies<double> copies(context_, {0, 10 * kPage});
  std::atomic<std::size_t> far{0}, seen{0};
  for_each_packed(packing, [&](std::size_t begin, std::size_t end, std::size_t thread) {
    const Packing::Part part = packing.part(thread);
    if (begin < part.begin + kPage || end + kPage > part.end) return;
    ++seen;
    const NodeId here = node_of_this_thread();
    if (packed[begin] < elements.shared().begin &&
        node_of_page(array.local().data() + packed[begin]) != here)
      ++far;
    if (node_of_page(copies.of(thread)) != here) ++far;
  });
  EXPECT_GT(seen, 100U);
  EXPECT_EQ(far, 0U);
}

}  // namespace
}  // namespace Atoll
