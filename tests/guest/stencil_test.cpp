// Stencil programs on several nodes. Fields are placed as planned, and points are computed on the
// node of their memory, according to the kernel; slots of streamed fields are on the node that is
// named as fast memory.
#include <gtest/gtest.h>
#include <numaif.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

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

/// Fields of 72 MiB, three times the memory that they may take.
class StreamedInGuest : public StencilInGuest {
 protected:
  static constexpr int kWide = 1000, kHigh = 1500;
  static constexpr std::uint64_t kBudget = 24 * kMiB;
  const NodeId fast_{2};  ///< high-bandwidth memory of topology "four"

  struct Outcome {
    std::vector<double> values;
    std::int64_t elsewhere =
        0;  ///< rows that were computed in memory of other nodes than the fast one
    StreamCounters counters;
  };
  [[nodiscard]] Outcome run(const Options& options) const {
    Program program(context_, options);
    Mesh& mesh = program.mesh("plane", {kWide, kHigh});
    std::vector<Field<double>> fields;
    for (const char* name : {"a", "b", "c", "d", "e", "f"})
      fields.push_back(mesh.field<double>(name, {.halo = 1}));
    const auto elsewhere = program.reduction<std::int64_t>();
    for (const auto& field : fields)
      mesh.loop(
          "start", field.storage().whole(), [](auto f, Index i) { f() = i.x + 0.5 * i.y; },
          write(field), index());
    for (std::size_t l = 0; l < 12; ++l)
      mesh.loop(
          "step", mesh.interior(),
          [fast = fast_](auto f, auto g, Index i, auto count) {
            g() = 0.25 * (f(1, 0) + f(-1, 0) + f(0, 1) + f(0, -1));
            // The kernel is asked for the node of one point of each row.
            if (i.x == 0) count(node_of(&g()) != fast);
          },
          read(fields[l % 6], star(1)), write(fields[(l + 1) % 6]), index(), reduce_sum(elsewhere));
    Outcome outcome;
    outcome.elsewhere = elsewhere.value();
    for (const auto& field : fields) {
      const std::vector<double> values = field.copy();
      outcome.values.insert(outcome.values.end(), values.begin(), values.end());
    }
    outcome.counters = program.counters().streamed;
    return outcome;
  }
  [[nodiscard]] Options streamed() const {
    Options options;
    options.budget = kBudget;
    options.fast = std::to_string(fast_.value);
    return options;
  }
};

TEST_F(StreamedInGuest, SlotsAreOnTheFastNode) {
  const Outcome expected = run({}), outcome = run(streamed());
  EXPECT_GT(outcome.counters.outer_tiles, 6U);
  EXPECT_EQ(outcome.elsewhere, 0);
  EXPECT_EQ(outcome.values, expected.values);
  EXPECT_GT(expected.elsewhere, 0);  // so the count isn't trivially 0
}

TEST_F(StreamedInGuest, SlotsSpillIfAnotherProcessFillsTheFastNode) {
  const Outcome expected = run({});
  const std::string meminfo =
      "/sys/devices/system/node/node" + std::to_string(fast_.value) + "/meminfo";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t filler = fork();
  if (filler == 0) {
    const std::size_t bytes = figure(meminfo, "MemFree") - 12 * kMiB;
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const unsigned long mask = 1UL << fast_.value;
    bool filled = mbind(memory, bytes, MPOL_PREFERRED, &mask, 65, 0) == 0;
    for (std::size_t at = 0; at < bytes; at += kPage) static_cast<char*>(memory)[at] = 1;
    filled = ::write(ready[1], "1", 1) == 1 && filled;
    pause();
    _exit(filled ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const Outcome outcome = run(streamed());
  EXPECT_GT(outcome.counters.outer_tiles, 6U);
  EXPECT_GT(outcome.elsewhere, 0);
  EXPECT_EQ(outcome.values, expected.values);
  kill(filler, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(filler, &status, 0), filler);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the filler ended before";
}

}  // namespace
}  // namespace Atoll::guest
