// Packed data compared with unpacked data. A packed loop has the same results, each thread has its
// own part, and pages are on the threads' nodes.
#include "atoll/parallel/packing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "atoll/array/array.hpp"
#include "atoll/parallel/renumbering.hpp"
#include "fake_backend.hpp"

namespace Atoll {
namespace {

constexpr int kThreads = 3;

/// Returns a loop with random lists. The last task is at a random position.
ScheduledLoop random_loop(std::uint64_t size, std::uint64_t chunk, unsigned seed = 1) {
  ScheduledLoop loop{"loop", size, chunk, 0, {0}, {}};
  std::mt19937 random(seed);
  loop.tasks.resize(loop.task_count());
  std::iota(loop.tasks.begin(), loop.tasks.end(), 0U);
  std::shuffle(loop.tasks.begin(), loop.tasks.end(), random);
  for (int thread = 1; thread < kThreads; ++thread)
    loop.begin.push_back(random() % (loop.tasks.size() + 1));
  loop.begin.push_back(loop.tasks.size());
  std::sort(loop.begin.begin(), loop.begin.end());
  return loop;
}

/// Returns the iterations of each thread in order, computed from its tasks.
std::vector<std::vector<std::size_t>> iterations_of(const ScheduledLoop& loop) {
  std::vector<std::vector<std::size_t>> of_thread(kThreads);
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    for (std::size_t k = loop.begin[thread]; k < loop.begin[thread + 1]; ++k)
      for (std::size_t i = 0; i < loop.chunk; ++i)
        if (loop.tasks[k] * loop.chunk + i < loop.iterations)
          of_thread[thread].push_back(loop.tasks[k] * loop.chunk + i);
  return of_thread;
}

class PackingTest : public testing::Test {
 protected:
  const Machine machine_ = memory::four_node_machine();
  const Team team_{listed_places(machine_, std::vector{0, 1, 2}), Team::Runtime::std_threads,
                   false};  // on nodes 0 0 1
  memory::FakeBackend fake_{memory::four_nodes(1 << 16)};
  const memory::Context context_{machine_, team_, fake_};
};

TEST_F(PackingTest, IterationsLieThreadByThreadInTheirOrder) {
  for (const std::size_t size : {0, 1, 5, 1000, 4097})
    for (const std::size_t chunk : {1, 3, 64, 5000})
      for (unsigned seed = 0; seed < 4; ++seed) {
        const ScheduledLoop loop = random_loop(size, chunk, seed);
        const Packing packing(team_, loop);
        std::vector<std::size_t> numbers(size), packed(size), back(size), expected;
        std::iota(numbers.begin(), numbers.end(), 0U);
        packing.pack<std::size_t>(numbers, packed);
        const auto of_thread = iterations_of(loop);
        for (std::size_t thread = 0; thread < kThreads; ++thread) {
          EXPECT_EQ(packing.part(thread).begin, expected.size());
          expected.insert(expected.end(), of_thread[thread].begin(), of_thread[thread].end());
          EXPECT_EQ(packing.part(thread).end, expected.size());
        }
        ASSERT_EQ(packed, expected) << size << " " << chunk;
        packing.unpack<std::size_t>(packed, back);
        EXPECT_EQ(back, numbers);
      }
}

TEST_F(PackingTest, APackedLoopRunsEachPositionOnceOnItsThread) {
  const ScheduledLoop loop = random_loop(10'001, 3);
  const Packing packing(team_, loop);
  std::vector<int> runs(packing.size());
  for_each_packed(packing, [&](std::size_t begin, std::size_t end, std::size_t thread) {
    EXPECT_GE(begin, packing.part(thread).begin);
    EXPECT_LE(end, packing.part(thread).end);
    EXPECT_EQ(thread, static_cast<std::size_t>(current_place().thread));
    for (std::size_t i = begin; i < end; ++i) ++runs[i];
  });
  EXPECT_THAT(runs, testing::Each(1));
}

thread_local std::uint64_t current_task = 99;

TEST_F(PackingTest, ARecorderHearsOfThePackedLoopsTasks) {
  struct Log : TaskObserver {
    void loop(const TaskLoop& told) noexcept override { EXPECT_EQ(told.tasks(), 34U); }
    void begin(const TaskLoop&, std::uint64_t task) noexcept override { current_task = task; }
    void end() noexcept override { current_task = 99; }
  } log;
  const ScheduledLoop loop = random_loop(100, 3);
  const Packing packing(team_, loop);
  std::vector<std::size_t> numbers(100), iteration(100);
  std::iota(numbers.begin(), numbers.end(), 0U);
  packing.pack<std::size_t>(numbers, iteration);
  for_each_packed(
      packing,
      [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) EXPECT_EQ(iteration[i] / 3, current_task);
      },
      &log);
}

TEST_F(PackingTest, PagesLieOnTheNodesOfTheThreadsThatUseThem) {
  const std::size_t size = 200'000;
  const ScheduledLoop loop = random_loop(size, 7);
  const Packing packing(team_, loop);
  const Array<double> array(context_, size, {packing.layout(), PageSize::small});
  const std::vector<NodeId> pages = array.where().front().pages;
  constexpr std::size_t kOfPage = kPageBytes / sizeof(double);
  std::size_t inner = 0;
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    for (std::size_t page = packing.part(thread).begin / kOfPage + 1;
         page < packing.part(thread).end / kOfPage; ++page, ++inner)
      EXPECT_EQ(pages[page], team_.places()[thread].node);
  EXPECT_GT(inner + 10, pages.size());
}

/// A sparse matrix with random rows, some of them empty.
struct Matrix {
  std::vector<std::uint64_t> begins{0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
};
Matrix random_matrix(std::size_t rows, std::size_t columns) {
  std::mt19937 random(7);
  Matrix matrix;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t entry = random() % 9; entry > 0; --entry) {
      matrix.columns.push_back(static_cast<std::uint32_t>(random() % columns));
      matrix.values.push_back(1.0 / static_cast<double>(random() % 1000 + 1));
    }
    matrix.begins.push_back(matrix.columns.size());
  }
  return matrix;
}

TEST_F(PackingTest, PackedRowsGiveTheSameBits) {
  const std::size_t rows = 5000, columns = 3000;
  const Matrix a = random_matrix(rows, columns);
  std::vector<double> x(columns), y(rows), expected(rows);
  for (std::size_t j = 0; j < columns; ++j) x[j] = 1 / (static_cast<double>(j) + 3);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = a.begins[i]; k < a.begins[i + 1]; ++k)
      expected[i] += a.values[k] * x[a.columns[k]];
  for (const std::size_t chunk : {1, 16, 6000}) {
    const ScheduledLoop loop = random_loop(rows, chunk);
    const Packing packing(team_, loop);
    Matrix b{std::vector<std::uint64_t>(rows + 1), std::vector<std::uint32_t>(a.columns.size()),
             std::vector<double>(a.values.size())};
    packing.pack_begins<std::uint64_t>(a.begins, b.begins);
    Array<std::uint64_t> begins(context_, rows + 1, packing.layout_of_begins());
    packing.pack_begins<std::uint64_t>(a.begins, begins.master());
    EXPECT_TRUE(std::ranges::equal(begins.local(), b.begins));
    packing.pack_rows<std::uint64_t, std::uint32_t>(a.begins, b.begins, a.columns, b.columns);
    packing.pack_rows<std::uint64_t, double>(a.begins, b.begins, a.values, b.values);
    const Renumbering renumbering(packing, columns, Renumbering::Use::read,
                                  [&](std::size_t i, auto&& visit) {
                                    for (auto k = b.begins[i]; k < b.begins[i + 1]; ++k)
                                      visit(b.columns[k]);
                                  });
    EXPECT_EQ(renumbering.shared().begin, renumbering.shared().end) << "nobody writes";
    std::vector<double> packed_x(columns), packed_y(rows);
    renumbering.pack<double>(x, packed_x);
    renumbering.rewrite<std::uint32_t>(b.columns);
    for_each_packed(packing, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t i = begin; i < end; ++i)
        for (auto k = b.begins[i]; k < b.begins[i + 1]; ++k)
          packed_y[i] += b.values[k] * packed_x[b.columns[k]];
    });
    packing.unpack<double>(packed_y, y);
    EXPECT_EQ(y, expected);
    std::vector<double> back(columns);
    renumbering.unpack<double>(packed_x, back);
    EXPECT_EQ(back, x);
    const Partitioned layout = packing.layout_of_rows<std::uint64_t>(b.begins);
    EXPECT_EQ(layout.ends.back(), a.values.size());
    EXPECT_EQ(layout.ends[0], b.begins[packing.part(0).end]);
  }
}

/// For each edge, its two nodes.
struct Mesh {
  std::vector<std::uint32_t> left, right;
};
Mesh random_mesh(std::size_t nodes, std::size_t edges, std::size_t reach) {
  std::mt19937 random(5);
  Mesh mesh;
  for (std::size_t edge = 0; edge < edges; ++edge) {
    const std::size_t left = edge * nodes / edges;
    mesh.left.push_back(static_cast<std::uint32_t>(left));
    mesh.right.push_back(static_cast<std::uint32_t>((left + random() % reach) % nodes));
  }
  return mesh;
}

TEST_F(PackingTest, ElementsAreNumberedByFirstUseAndThoseThatSeveralThreadsWriteComeLast) {
  const std::size_t nodes = 2000, edges = 3001;
  for (const std::size_t reach : {5, 2000})
    for (const auto use : {Renumbering::Use::read, Renumbering::Use::written}) {
      const Mesh mesh = random_mesh(nodes, edges, reach);
      ScheduledLoop loop = random_loop(edges, 300, 3);
      loop.begin = {0, 3, 7, 11};
      const auto of_thread = iterations_of(loop);
      // computes the users by brute force
      std::vector<std::set<std::size_t>> users(nodes);
      std::vector<std::uint32_t> first_use;
      for (std::size_t thread = 0; thread < kThreads; ++thread)
        for (const std::size_t edge : of_thread[thread])
          for (const std::uint32_t node : {mesh.left[edge], mesh.right[edge]}) {
            if (users[node].empty()) first_use.push_back(node);
            users[node].insert(thread);
          }
      const auto is_shared = [&](std::uint32_t node) {
        return use == Renumbering::Use::written && users[node].size() > 1;
      };
      std::vector<std::uint32_t> expected;
      for (const std::uint32_t node : first_use)
        if (!is_shared(node)) expected.push_back(node);
      const std::size_t first_shared = expected.size();
      for (const std::uint32_t node : first_use)
        if (is_shared(node)) expected.push_back(node);
      const std::size_t used = expected.size();
      for (std::uint32_t node = 0; node < nodes; ++node)
        if (users[node].empty()) expected.push_back(node);

      const Packing packing(team_, loop);
      Mesh packed{std::vector<std::uint32_t>(edges), std::vector<std::uint32_t>(edges)};
      packing.pack<std::uint32_t>(mesh.left, packed.left);
      packing.pack<std::uint32_t>(mesh.right, packed.right);
      const Renumbering renumbering(packing, nodes, use, [&](std::size_t i, auto&& visit) {
        visit(packed.left[i]);
        visit(packed.right[i]);
      });
      EXPECT_THAT(renumbering.old_numbers(), testing::ElementsAreArray(expected));
      EXPECT_EQ(renumbering.shared().begin, first_shared);
      EXPECT_EQ(used > first_shared, use == Renumbering::Use::written);
      EXPECT_EQ(renumbering.shared().end, used);
      for (std::size_t i = 0; i < nodes; ++i) EXPECT_EQ(renumbering.new_numbers()[expected[i]], i);
      // each element is on the node of the first thread that uses it
      const Partitioned& layout = renumbering.layout();
      for (std::size_t part = 0, i = 0; part < layout.ends.size(); ++part)
        for (; i < layout.ends[part]; ++i)
          if (i < used) {
            EXPECT_EQ(*users[expected[i]].begin(), part % kThreads);
            EXPECT_EQ(layout.nodes[part], team_.places()[part % kThreads].node);
          }
    }
}

TEST_F(PackingTest, OnlySharedElementsNeedPrivateCopies) {
  const std::size_t nodes = 5000, edges = 20'000;
  for (const std::size_t reach : {3, 5000}) {
    const Mesh mesh = random_mesh(nodes, edges, reach);
    std::vector<double> x(nodes), expected(nodes), y(nodes);
    for (std::size_t i = 0; i < nodes; ++i) x[i] = static_cast<double>(i * i % 1009);  // exact sums
    for (std::size_t edge = 0; edge < edges; ++edge) {
      const double force = 2 * x[mesh.left[edge]] - x[mesh.right[edge]];
      expected[mesh.left[edge]] += force;
      expected[mesh.right[edge]] -= force;
    }
    ScheduledLoop loop{"edges", edges, 1, 0, {0, 6000, 13'000, edges}, {}};
    for (std::uint32_t task = edges; task-- > 0;) loop.tasks.push_back(task);
    const Packing packing(team_, loop);
    Mesh packed{std::vector<std::uint32_t>(edges), std::vector<std::uint32_t>(edges)};
    packing.pack<std::uint32_t>(mesh.left, packed.left);
    packing.pack<std::uint32_t>(mesh.right, packed.right);
    const Renumbering renumbering(packing, nodes, Renumbering::Use::written,
                                  [&](std::size_t i, auto&& visit) {
                                    visit(packed.left[i]);
                                    visit(packed.right[i]);
                                  });
    renumbering.rewrite<std::uint32_t>(packed.left);
    renumbering.rewrite<std::uint32_t>(packed.right);
    std::vector<double> packed_x(nodes), packed_y(nodes);
    renumbering.pack<double>(x, packed_x);
    const std::size_t first = renumbering.shared().begin, end = renumbering.shared().end;
    if (reach == 3) {
      EXPECT_LT(end - first, nodes / 50);
    }
    EXPECT_GT(end, first);
    PrivateCopies<double> copies(context_, renumbering.shared());
    for (int round = 0; round < 2; ++round) {  // the copies must start at 0 in each round
      std::fill(packed_y.begin(), packed_y.end(), 0);
      for_each_packed(packing, [&](std::size_t i, std::size_t last, std::size_t thread) {
        double* const own = copies.of(thread);
        const auto at = [&](std::size_t node) -> double& {
          return node >= first && node < end ? own[node - first] : packed_y[node];
        };
        for (; i < last; ++i) {
          const double force = 2 * packed_x[packed.left[i]] - packed_x[packed.right[i]];
          at(packed.left[i]) += force;
          at(packed.right[i]) -= force;
        }
      });
      copies.add_to(packed_y);
      renumbering.unpack<double>(packed_y, y);
      EXPECT_EQ(y, expected);
    }
  }
}

TEST_F(PackingTest, WhatDoesNotFitIsRefused) {
  const ScheduledLoop loop = random_loop(100, 3);
  const Packing packing(team_, loop);
  std::vector<int> fits(100), short_one(99);
  EXPECT_THROW(packing.pack<int>(short_one, fits), Error);
  EXPECT_THROW(packing.pack<int>(fits, short_one), Error);
  EXPECT_THROW(packing.unpack<int>(fits, short_one), Error);
  ScheduledLoop twice = loop;
  twice.tasks[0] = twice.tasks[1];
  EXPECT_THROW(Packing(team_, twice), Error);
  const Team two(listed_places(machine_, std::vector{0, 1}), Team::Runtime::std_threads, false);
  EXPECT_THROW(Packing(two, loop), Error);
  const auto beyond = [](std::size_t i, auto&& visit) { visit(i); };
  EXPECT_THROW(Renumbering(packing, 99, Renumbering::Use::read, beyond), Error);
  EXPECT_THROW(Renumbering(packing, UINT32_MAX, Renumbering::Use::read, beyond), Error);
  const Renumbering renumbering(packing, 100, Renumbering::Use::read, beyond);
  EXPECT_THROW(renumbering.pack<int>(short_one, fits), Error);
  EXPECT_THROW(renumbering.unpack<int>(fits, short_one), Error);
}

}  // namespace
}  // namespace Atoll
