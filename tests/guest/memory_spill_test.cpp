// Full nodes. Pages spill in the requested order, from every initiator and with several concurrent
// fills. Requests beyond the available memory are refused, and the OOM killer kills no process.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <thread>

#include "atoll/base/error.hpp"
#include "guest_system.hpp"

namespace Atoll::guest {
namespace {

using memory::Block;
using memory::Interleaved;
using memory::OnNode;
using memory::Ordered;
using memory::pages_by_node;
using memory::WhenFull;

constexpr std::size_t kRoom = 24 * kMiB;
/// Memory that may remain unused on a node that counts as full. The kernel counts pages on per-CPU
/// lists as used, and puts huge pages there two at a time. On a busy machine, threads migrate
/// between processors, so there are more such pages.
constexpr std::size_t slack(PageSize size) {
  return (size == PageSize::huge ? 10 : 8) * kMiB;
}

/// A guest in which other allocations leave 24 MiB on each node.
class SpillInGuest : public MemoryInGuest {
 protected:
  static void SetUpTestSuite() {
    MemoryInGuest::SetUpTestSuite();
    for (const auto& [node, now] : rooms())
      if (now > kRoom)
        taken_.push_back(std::make_unique<Taken>(node, (now - kRoom) / kPage * kPage));
  }
  static void TearDownTestSuite() { taken_.clear(); }

  /// Returns the available bytes on each node.
  static std::map<NodeId, std::uint64_t> rooms() {
    return memory::system_backend().available(PageSize::small).bytes_by_node;
  }

  /// Waits until condition() returns true, at most 5 seconds. Pages on per-CPU lists become free
  /// with a delay, which is seconds on a busy machine.
  static void wait_for(auto&& condition) {
    for (int wait = 0; wait < 250 && !condition(); ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }

  /// Returns a block that needs more than the first two nodes of the order, and less than all four.
  /// `before` receives the available bytes of each node before the allocation. If huge pages are
  /// rare, the system keeps a third of the memory. Nodes may also regain memory of earlier blocks
  /// after the request. If two nodes sufficed, a larger block is requested.
  template <typename Placement>
  static Block on_three(const memory::Context& context, const std::vector<NodeId>& order,
                        const Placement& placement, PageSize size,
                        std::map<NodeId, std::uint64_t>& before) {
    for (std::size_t more = 3 * kMiB;; more += kMiB) {
      before = rooms();
      const std::size_t two = before.at(order[0]) + before.at(order[1]);
      Block block(context, two / kPage * kPage + more, placement, size);
      if (more == 8 * kMiB || pages_by_node(block.where()).size() >= 3) return block;
    }
  }

  /// Checks that no page is on a node that precedes the node of the previous page in the order.
  static void expect_in_order(const std::vector<NodeId>& where, const std::vector<NodeId>& order) {
    std::ptrdiff_t rank = 0;
    for (std::size_t page = 0; page < where.size(); ++page) {
      const auto found = std::find(order.begin(), order.end(), where[page]) - order.begin();
      ASSERT_GE(found, rank) << "page " << page;
      rank = found;
    }
  }

  /// Checks that the first nodes of the order were used, at least `at_least` of them, and that all
  /// but the last are full. `before` is the available bytes of each node before the allocation.
  static void expect_full(const std::map<NodeId, std::uint64_t>& pages,
                          const std::vector<NodeId>& order, std::size_t at_least,
                          const std::map<NodeId, std::uint64_t>& before, PageSize size) {
    std::size_t used = 0;
    while (used < order.size() && pages.contains(order[used])) ++used;
    EXPECT_EQ(pages.size(), used) << "a node was passed over";
    EXPECT_GE(used, at_least);
    for (std::size_t i = 0; i + 1 < used; ++i)
      EXPECT_GE(pages.at(order[i]) * kPage + slack(size), before.at(order[i]))
          << "node " << order[i].value << " wasn't full";
  }

  static inline std::vector<std::unique_ptr<Taken>> taken_;
};

TEST_F(SpillInGuest, InTheOrderAskedForFromEveryInitiator) {
  for (const NodeId initiator : machine_.initiators()) {
    ThreadPlaces places;
    for (const ThreadPlace& place : spread_places(machine_))
      if (place.node == initiator) places.push_back(place);
    const Team team(places, Team::Runtime::std_threads);
    std::set<std::vector<NodeId>> done;
    for (const Ordering ordering : {Ordering::latency, Ordering::bandwidth, Ordering::capacity}) {
      const std::vector<NodeId> order = machine_.order(initiator, ordering);
      if (!done.insert(order).second) continue;
      const PageSize size = ordering == Ordering::capacity ? PageSize::huge : PageSize::small;
      std::map<NodeId, std::uint64_t> before;
      const Block block = on_three({machine_, team}, order, Ordered{order}, size, before);
      EXPECT_EQ(block.where(), nodes_of_pages(block.data(), block.bytes()));
      expect_in_order(block.where(), order);
      expect_full(pages_by_node(block.where()), order, 3, before, size);
    }
  }
}

TEST_F(SpillInGuest, InAnOrderThatNoDistanceGives) {
  std::vector<NodeId> order;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    order.push_back(nodes_[(3 * i + 2) % nodes_.size()]);  // all nodes, as 3 is coprime to 4 and 8
  for (int round = 0; round < 2; ++round) {
    const std::size_t bytes = (nodes_.size() - 1) * kRoom - 16 * kMiB;
    wait_for([&] {
      std::size_t all = 0;
      for (const auto& [node, room] : rooms()) all += room;
      return all >= bytes + kRoom;
    });
    const auto before = rooms();
    const Block block(context_, bytes, Ordered{order}, PageSize::small);
    expect_in_order(block.where(), order);
    expect_full(pages_by_node(block.where()), order, nodes_.size() - 2, before, PageSize::small);
  }
}

TEST_F(SpillInGuest, FromEachNodeByLatency) {
  for (const NodeId node : nodes_) {
    std::vector<NodeId> order{node};
    for (const NodeId next : machine_.order(machine_.nearest_initiator(node), Ordering::latency))
      if (next != node) order.push_back(next);
    const bool huge = node.value % 2 == 1;
    const PageSize size = huge ? PageSize::huge : PageSize::small;
    std::map<NodeId, std::uint64_t> before;
    const Block block = on_three(context_, order, OnNode{node}, size, before);
    const auto where = block.where();
    expect_full(pages_by_node(where), order, 3, before, size);
    for (std::size_t page = 0; huge && page < where.size(); ++page)
      ASSERT_EQ(where[page], where[page / 512 * 512]) << "khugepaged would move this one";
  }
}

TEST_F(SpillInGuest, RefusedAndNothingIsLeft) {
  const NodeId full = nodes_.back(), other = nodes_[0];
  const auto before = rooms();
  const auto refuse = [&](std::size_t bytes, const memory::Placement& placement, PageSize size) {
    EXPECT_THROW(Block(context_, bytes, placement, size, WhenFull::refuse), Error);
    const auto all_back = [&] {
      const auto now = rooms();
      return std::ranges::all_of(
          before, [&](const auto& of) { return now.at(of.first) + slack(size) >= of.second; });
    };
    wait_for(all_back);
    EXPECT_TRUE(all_back());
  };
  refuse(40 * kMiB, OnNode{full}, PageSize::small);
  refuse(60 * kMiB, Ordered{{full, other}}, PageSize::huge);
  refuse(60 * kMiB, Interleaved{{full, other}, kPage}, PageSize::small);
}

TEST_F(SpillInGuest, SeveralFillsAtOnceKeepTheirOrders) {
  const std::size_t bytes = nodes_.size() * kRoom / 5 / kPage * kPage;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::vector<NodeId>> orders(3, nodes_);
    std::reverse(orders[1].begin(), orders[1].end());
    std::rotate(orders[2].begin(), orders[2].begin() + 2, orders[2].end());
    std::vector<Block> blocks(orders.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < orders.size(); ++i)
      threads.emplace_back([&, i] {
        const Team team(spread_places(machine_), Team::Runtime::std_threads);
        blocks[i] = Block({machine_, team}, bytes, Ordered{orders[i]}, PageSize::small);
      });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < orders.size(); ++i) {
      ASSERT_EQ(blocks[i].where().size(), bytes / kPage);
      expect_in_order(blocks[i].where(), orders[i]);
    }
  }
}

/// A process that holds memory on one node and continues to allocate there.
class Bystander {
 public:
  explicit Bystander(NodeId node) {
    int holds[2];
    EXPECT_EQ(pipe(holds), 0);
    child_ = fork();
    if (child_ != 0) {  // waits until the child has its memory: the node may be filled up
                        // afterwards
      char word = 0;
      close(holds[1]);
      EXPECT_EQ(read(holds[0], &word, 1), 1);
      close(holds[0]);
      return;
    }
    const Taken held(node, 4 * kMiB);
    if (write(holds[1], "", 1) != 1) _exit(1);
    for (;;) {
      madvise(held.data(), kMiB, MADV_DONTNEED);
      for (std::size_t at = 0; at < kMiB; at += kPage) held.data()[at] = std::byte{1};
      usleep(10'000);
    }
  }
  /// Returns true if the process is still alive, and ends it.
  bool lived() {
    int status = 0;
    const bool lives = waitpid(child_, &status, WNOHANG) == 0;
    kill(child_, SIGKILL);
    if (lives) waitpid(child_, &status, 0);
    return lives;
  }

 private:
  pid_t child_;
};

TEST_F(SpillInGuest, FillingANodeUpKillsNoBystander) {
  for (const NodeId node : {nodes_[1], nodes_[2]}) {
    Bystander bystander(node);
    for (int round = 0; round < 4; ++round) {
      const PageSize size = round % 2 == 0 ? PageSize::small : PageSize::huge;
      const Block block(context_, 40 * kMiB, OnNode{node}, size);
      EXPECT_LT(rooms().at(node), slack(size));
      EXPECT_THROW(Block(context_, 30 * kMiB, OnNode{node}, size, WhenFull::refuse), Error);
    }
    EXPECT_TRUE(bystander.lived());
  }
}

TEST_F(SpillInGuest, MemoryThatOthersTakeMeanwhileIsNotAskedFor) {
  std::atomic<bool> stop = false;
  std::thread other([&] {
    std::vector<std::unique_ptr<Taken>> taken;
    while (!stop) {
      for (const auto& [node, now] : rooms())
        if (now > 4 * kMiB) taken.push_back(std::make_unique<Taken>(node, kMiB));
      if (taken.size() > 16 * nodes_.size()) taken.clear();
    }
  });
  for (int round = 0; round < 6; ++round) try {
      const Block block(context_, nodes_.size() * 12 * kMiB, Interleaved{nodes_, kPage},
                        PageSize::small);
      EXPECT_FALSE(pages_by_node(block.where()).contains(memory::kNowhere));
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("has only"), std::string::npos) << error.what();
    }
  stop = true;
  other.join();
}

/// A fresh guest, with all of its memory available.
class AllOfTheGuest : public MemoryInGuest {};

TEST_F(AllOfTheGuest, MoreThanThereIsThrowsBeforeAPageIsMapped) {
  const std::size_t all = memory::system_backend().available(PageSize::small).bytes_in_all;
  const std::uint64_t faults = figure("/proc/vmstat", "pgfault");
  for (const std::size_t bytes : {all, all + kMiB, 3 * all, std::size_t{SIZE_MAX}})
    for (const PageSize size : {PageSize::small, PageSize::huge})
      EXPECT_THROW(Block(context_, bytes, Interleaved{nodes_, kHuge}, size), Error);
  EXPECT_LT(figure("/proc/vmstat", "pgfault") - faults, 2000U);
}

TEST_F(AllOfTheGuest, AlmostAllThatThereIsCanBePlaced) {
  const std::size_t all = memory::system_backend().available(PageSize::small).bytes_in_all;
  const Block block(context_, all / 100 * 97, OnNode{nodes_[1]}, PageSize::huge);
  EXPECT_FALSE(pages_by_node(block.where()).contains(memory::kNowhere));
}

}  // namespace
}  // namespace Atoll::guest
