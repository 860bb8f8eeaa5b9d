// Stencil programs on several nodes. Fields are placed as planned, and points are computed on the
// node of their memory, according to the kernel.
#include <gtest/gtest.h>
#include <sched.h>

#include "atoll/stencil/stencil.hpp"
#include "guest_system.hpp"

namespace Atoll::guest {
namespace {

using namespace Atoll::stencil;

constexpr int kColumns = 1000, kRows = 800, kLoops = 12;

class StencilInGuest : public MemoryInGuest {};

TEST_F(StencilInGuest, FieldsLieWithTheBandsOfTheirThreads) {
  Program program(context_);
  Mesh& mesh = program.mesh("plane", {kColumns, kRows});
  const auto u = mesh.field<double>("u", {.halo = 1});
  const FieldStorage& field = u.storage();
  // Rows of a band by docs/guide.md and docs/stencil.md: equal parts in the order of threads.
  const int threads = team_.size();
  int rows = 0, there = 0;
  for (int thread = 0; thread < threads; ++thread) {
    const int begin = kRows * thread / threads, end = kRows * (thread + 1) / threads;
    const NodeId node = team_.places()[static_cast<std::size_t>(thread)].node;
    for (int y = begin; y < end; ++y, ++rows)
      there += node_of(field.at(kColumns / 2, y, 0)) == node;
  }
  EXPECT_EQ(rows, kRows);
  EXPECT_GE(there, kRows - threads);  // a band may begin within a page
  EXPECT_EQ(field.memory().where()[0].misplaced, 0U);
}

TEST_F(StencilInGuest, PointsAreComputedOnTheNodeThatHoldsThem) {
  Options options;
  options.tile = {{256, 16}};
  Program program(context_, options);
  Mesh& mesh = program.mesh("plane", {kColumns, kRows});
  auto u = mesh.field<double>("u", {.halo = 1}), v = mesh.field<double>("v", {.halo = 1});
  const auto near = program.reduction<std::int64_t>();
  mesh.loop(
      "start", u.storage().whole(), [](auto f, auto g, Index i) { f() = g() = i.x + i.y; },
      write(u), write(v), index());
  program.run();
  // The node of each page according to the kernel, before the first step.
  struct Pages {
    const std::byte* base;
    std::vector<NodeId> nodes;
  };
  const auto pages_of = [](const FieldStorage& field) {
    const std::byte* const base = field.memory().copy(0);
    return Pages{base, nodes_of_pages(base, field.memory().bytes())};
  };
  const Pages of_u = pages_of(u.storage()), of_v = pages_of(v.storage());
  const Pages *from = &of_u, *to = &of_v;
  for (int l = 0; l < kLoops; ++l, std::swap(u, v), std::swap(from, to))
    mesh.loop(
        "step", mesh.interior(),
        [to](auto f, auto g, auto count) {
          g() = 0.25 * (f(1, 0) + f(-1, 0) + f(0, 1) + f(0, -1));
          unsigned cpu = 0, node = 0;
          getcpu(&cpu, &node);
          const auto page =
              static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&g()) - to->base) / kPage;
          count(to->nodes[page] == NodeId{node});
        },
        read(u, star(1)), write(v), reduce_sum(near));
  const double share =
      static_cast<double>(near.value()) / static_cast<double>(mesh.interior().points() * kLoops);
  EXPECT_GE(share, 0.9);
  EXPECT_EQ(program.last_plan()->segments.size(), 1U);
  EXPECT_EQ(program.last_plan()->bands(), team_.size());
  if (nodes_.size() > 1) {
    // Some points are remote, so the count isn't trivially 1.
    EXPECT_LT(share, 1.0);
  }
  std::printf("%.2f %% of the points on %zu nodes with %d threads\n", 100 * share, nodes_.size(),
              team_.size());
}

}  // namespace
}  // namespace Atoll::guest
