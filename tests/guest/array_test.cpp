// Every operation of Array on every layout, with threads on every node. Checks the node of each
// page, and the node of the memory that each thread reads.
#include "atoll/array/array.hpp"

#include <gtest/gtest.h>
#include <numaif.h>
#include <zlib.h>

#include <numeric>
#include <vector>

#include "atoll/machine/thread_places.hpp"
#include "guest_system.hpp"

namespace Atoll {
namespace {

struct Case {
  std::string name;
  Layout layout;
};

using guest::node_of;

class ArrayInGuest : public testing::Test {
 protected:
  static constexpr std::size_t kSize = 3 * 1024 * 1024 / 8 + 777;  // the array ends within a page

  [[nodiscard]] std::vector<NodeId> all_nodes() const {
    std::vector<NodeId> nodes;
    for (const MemoryNode& memory : machine_.memories()) nodes.push_back(memory.id);
    return nodes;
  }

  [[nodiscard]] std::vector<Case> cases() const {
    std::vector<Case> cases;
    const std::vector<NodeId> nodes = all_nodes();
    const std::vector<NodeId> some{nodes[1], nodes[0]};
    std::vector<NodeId> parts;
    for (const ThreadPlace& place : team_.places()) parts.push_back(place.node);
    for (const PageSize pages : {PageSize::small, PageSize::huge}) {
      const std::string suffix = std::string(", ") + std::string(to_string(pages));
      for (const NodeId node : nodes)
        cases.push_back(
            {"single" + std::to_string(node.value) + suffix, {SingleNode{node}, pages}});
      cases.push_back({"distributed" + suffix, {Distributed{nodes, page_bytes(pages)}, pages}});
      cases.push_back(
          {"distributed wide" + suffix, {Distributed{some, 2 * page_bytes(pages)}, pages}});
      cases.push_back({"partitioned" + suffix, {Partitioned{parts}, pages}});
      cases.push_back({"replicated" + suffix, {Replicated{nodes}, pages}});
      cases.push_back({"replicated on some" + suffix, {Replicated{some}, pages}});
    }
    return cases;
  }

  /// Recomputes the node of a copy's page by the definition of the layout.
  static NodeId meant(const Layout& layout, std::size_t copy, std::size_t page, std::size_t bytes) {
    const std::size_t unit = page_bytes(layout.pages);
    const std::size_t byte = page * 4096;
    if (const auto* single = std::get_if<SingleNode>(&layout.where)) return single->node;
    if (const auto* replicated = std::get_if<Replicated>(&layout.where))
      return replicated->nodes[copy];
    if (const auto* distributed = std::get_if<Distributed>(&layout.where))
      return distributed->nodes[byte / distributed->granule_bytes % distributed->nodes.size()];
    const auto& nodes = std::get<Partitioned>(layout.where).nodes;
    const std::size_t size = bytes / 8;
    for (std::size_t part = 0; part < nodes.size(); ++part) {
      // end of the part, rounded to the nearest page
      const std::size_t end = (size * (part + 1) / nodes.size() * 8 + unit / 2) / unit * unit;
      if (byte < end) return nodes[part];
    }
    return nodes.back();
  }

  Machine machine_ = Machine::this_computer();
  Team team_{spread_places(machine_)};
  memory::Context context_{machine_, team_};
};

TEST_F(ArrayInGuest, HasSeveralNodes) {
  EXPECT_GE(machine_.memories().size(), 4U);
  EXPECT_GE(nodes_of(team_.places()).size(), 2U);
}

TEST_F(ArrayInGuest, EveryPageIsWhereTheLayoutSays) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    Array<double> array(context_, kSize, one.layout);
    const auto copies = array.where();
    ASSERT_EQ(copies.size(), one.layout.copies());
    for (std::size_t copy = 0; copy < copies.size(); ++copy) {
      EXPECT_EQ(copies[copy].misplaced, 0U);
      ASSERT_EQ(copies[copy].pages.size(), (kSize * 8 + 4095) / 4096);
      for (std::size_t page = 0; page < copies[copy].pages.size(); ++page) {
        const NodeId expected = meant(one.layout, copy, page, kSize * 8);
        ASSERT_EQ(copies[copy].pages[page], expected) << "copy " << copy << " page " << page;
        ASSERT_EQ(node_of(array.raw().copy(copy) + page * 4096), expected)
            << "copy " << copy << " page " << page;
      }
    }
  }
}

TEST_F(ArrayInGuest, EveryOperationOnEveryLayout) {
  std::vector<double> values(kSize);
  std::iota(values.begin(), values.end(), 1.0);
  const auto crc = static_cast<std::uint32_t>(crc32_z(
      crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(values.data()), values.size() * 8));
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    Array<double> array(context_, kSize, one.layout);
    const auto check_on_all_threads = [&](auto&& expected) {
      team_.run([&](int) {
        const auto local = array.local();
        ASSERT_EQ(local.size(), kSize);
        for (std::size_t i = 0; i < kSize; ++i) ASSERT_EQ(local[i], expected(i)) << i;
      });
    };
    check_on_all_threads([](std::size_t) { return 0.0; });
    array.fill(2.5);
    check_on_all_threads([](std::size_t) { return 2.5; });
    array.copy_from(values);
    check_on_all_threads([&](std::size_t i) { return values[i]; });
    EXPECT_EQ(array.crc32(), crc);
    Array<double> other(context_, kSize, Layout{Distributed{all_nodes(), 4096}, PageSize::small});
    other.copy_from(array);
    EXPECT_EQ(other.crc32(), crc);
    array.set(7, -1.0);
    array.master()[kSize - 1] = -2.0;
    array.sync();
    check_on_all_threads([&](std::size_t i) {
      return i == 7 ? -1.0 : i == kSize - 1 ? -2.0 : values[i];
    });
    for (const auto& copy : array.where()) EXPECT_EQ(copy.misplaced, 0U);
  }
}

TEST_F(ArrayInGuest, EachThreadReadsTheNearestReplica) {
  const std::vector<NodeId> nodes = all_nodes();
  for (const std::vector<NodeId>& on : {nodes, std::vector{nodes[1], nodes[0]}}) {
    Array<double> array(context_, kSize, Layout{Replicated{on}, PageSize::small});
    std::vector<NodeId> read(static_cast<std::size_t>(team_.size()));
    team_.run([&](int thread) {
      read[static_cast<std::size_t>(thread)] = node_of(array.local().data());
    });
    for (std::size_t thread = 0; thread < read.size(); ++thread) {
      const NodeId here = team_.places()[thread].node;
      for (const NodeId copy : on)
        EXPECT_LE(machine_.link(here, read[thread]).latency_ns.value,
                  machine_.link(here, copy).latency_ns.value);
    }
  }
}

TEST_F(ArrayInGuest, PartitionsAreNearTheirThreads) {
  std::vector<NodeId> parts;
  for (const ThreadPlace& place : team_.places()) parts.push_back(place.node);
  Array<double> array(context_, kSize, Layout{Partitioned{parts}, PageSize::small});
  team_.run([&](int thread) {
    const auto t = static_cast<std::size_t>(thread),
               threads = static_cast<std::size_t>(team_.size());
    const std::size_t middle = kSize * (2 * t + 1) / (2 * threads);
    EXPECT_EQ(node_of(array.local().data() + middle), current_place().node);
  });
}

TEST_F(ArrayInGuest, AnUnusedArrayTakesNoMemory) {
  const Array<double> array(context_, std::size_t{1} << 40, pattern_of({.used = false}));
  EXPECT_FALSE(array.allocated());
  EXPECT_TRUE(array.where().empty());
  EXPECT_EQ(array.size(), std::size_t{1} << 40);
}

}  // namespace
}  // namespace Atoll
