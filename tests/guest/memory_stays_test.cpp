// Placed pages stay on their nodes. With aggressive settings, NUMA balancing and khugepaged move
// pages of other memory in the same process, and no page of a block.
#include <numaif.h>
#include <sys/mman.h>

#include <cstring>
#include <thread>

#include "guest_system.hpp"

namespace Atoll::guest {
namespace {

using memory::Block;
using memory::Interleaved;
using memory::OnNode;

/// Memory without a placement, aligned for huge pages, with small pages.
class Plain {
 public:
  explicit Plain(std::size_t bytes)
      : bytes_(bytes), data_(memory::portable_backend().reserve(bytes, PageSize::small)) {}
  ~Plain() { munmap(data_, bytes_); }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  std::byte* data_;
};

class StaysInGuest : public MemoryInGuest {
 protected:
  /// Returns blocks of each kind. All have pages on a node that most threads of the team aren't on.
  [[nodiscard]] std::vector<Block> blocks() const {
    std::vector<Block> made;
    for (const PageSize size : {PageSize::small, PageSize::huge}) {
      made.emplace_back(context_, 3 * kHuge + 9 * kPage, OnNode{nodes_[0]}, size);
      made.emplace_back(context_, 3 * kHuge, OnNode{nodes_[2]}, size);
      made.emplace_back(context_, 4 * kHuge, Interleaved{nodes_, page_bytes(size)}, size);
    }
    return made;
  }

  static void make_numa_balancing_eager() {
    const std::string folder = "/sys/kernel/debug/sched/numa_balancing/";
    write_file("/proc/sys/kernel/numa_balancing", "1");
    write_file(folder + "scan_delay_ms", "1");
    write_file(folder + "scan_period_min_ms", "10");
    write_file(folder + "scan_period_max_ms", "50");
    write_file(folder + "scan_size_mb", "1024");
  }

  static void expect_in_place(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      EXPECT_EQ(nodes_of_pages(block.data(), block.bytes()), block.wished());
      EXPECT_EQ(block.where(), block.wished());
    }
  }

  /// One thread on the last node with processors reads every page, until done() returns true or a
  /// maximum number of rounds. The other threads wait, because pages that several nodes read aren't
  /// moved. The threads are new, because existing threads keep their initial scan period. Returns
  /// true if done() did.
  template <class Done>
  bool read_until(const std::vector<Block>& blocks, memory::Range plain, const Done& done) const {
    const Team readers(spread_places(machine_), Team::Runtime::std_threads);
    // Counts rounds instead of seconds, because the guest's clock continues while its host is busy.
    for (int round = 0; round < 1000; ++round) {
      readers.run([&](int thread) {
        if (thread + 1 < readers.size()) return;
        std::byte sum{0};
        const auto read = [&](const std::byte* data, std::size_t bytes) {
          for (std::size_t at = 0; at < bytes; at += 512)
            sum ^= *const_cast<const volatile std::byte*>(data + at);
        };
        for (int again = 0; again < 10; ++again) {
          for (const Block& block : blocks) read(block.data(), block.bytes());
          read(plain.data, plain.bytes);
        }
        EXPECT_EQ(sum, std::byte{0});
      });
      if (done()) return true;
    }
    return false;
  }
};

TEST_F(StaysInGuest, WhenNumaBalancingIsEager) {
  make_numa_balancing_eager();
  const Plain plain(2 * kHuge);
  const unsigned long first = 1UL << nodes_[0].value;
  ASSERT_EQ(set_mempolicy(MPOL_PREFERRED, &first, 65), 0);
  std::memset(plain.data(), 0, plain.bytes());
  ASSERT_EQ(set_mempolicy(MPOL_DEFAULT, nullptr, 0), 0);

  const std::vector<Block> made = blocks();
  const memory::Range range{plain.data(), plain.bytes()};
  std::vector<NodeId> found(plain.bytes() / kPage);
  const bool moved = read_until(made, range, [&] {
    memory::system_backend().locate({&range, 1}, found);
    auto pages = memory::pages_by_node(found);
    EXPECT_FALSE(pages.contains(memory::kNowhere)) << "a page marked by NUMA balancing was missed";
    // Blocks that are created while pages move are also placed correctly.
    const Block block(context_, kHuge, Interleaved{nodes_, kPage}, PageSize::small);
    EXPECT_EQ(block.where(), block.wished());
    return pages[nodes_[0]] < found.size() / 2;
  });
  EXPECT_TRUE(moved) << "NUMA balancing moved nothing: this test shows nothing";
  expect_in_place(made);
}

// A range has the default policy from the mapping of its pages to the end of its placement. In that
// interval, NUMA balancing may mark its pages, and would migrate them to the next accessing thread.
TEST_F(StaysInGuest, WhenAskedForBeforeItsPlacementIsDone) {
  make_numa_balancing_eager();
  memory::Backend& backend = memory::system_backend();
  const Plain plain(kHuge);
  const memory::Range range{plain.data(), plain.bytes()};
  backend.populate({&range, 1}, nodes_[2]);
  for (int round = 0; round < 20; ++round) {
    std::thread([] {  // NUMA balancing marks pages while a thread runs
      for (volatile int i = 0; i < 20'000'000;) i = i + 1;
    })
        .join();
    std::vector<NodeId> found(plain.bytes() / kPage);
    std::thread([&] { backend.locate({&range, 1}, found); }).join();
    ASSERT_EQ(found, std::vector<NodeId>(found.size(), nodes_[2])) << "round " << round;
  }
}

TEST_F(StaysInGuest, WhenKhugepagedIsEager) {
  const std::string folder = "/sys/kernel/mm/transparent_hugepage/khugepaged/";
  write_file(folder + "scan_sleep_millisecs", "0");
  write_file(folder + "alloc_sleep_millisecs", "0");
  write_file(folder + "pages_to_scan", "65536");
  write_file(folder + "defrag", "1");

  // Pages that alternate over two nodes and may become huge pages. khugepaged collects them on one
  // node.
  const Plain plain(2 * kHuge + kHuge);
  std::byte* const aligned =
      plain.data() + (-reinterpret_cast<std::uintptr_t>(plain.data())) % kHuge;
  const unsigned long two = 1UL << nodes_[0].value | 1UL << nodes_[1].value;
  ASSERT_EQ(mbind(aligned, 2 * kHuge, MPOL_INTERLEAVE, &two, 65, 0), 0);
  std::memset(aligned, 0, 2 * kHuge);
  ASSERT_EQ(memory::pages_by_node(nodes_of_pages(aligned, 2 * kHuge)).at(nodes_[0]), 512U);

  const std::vector<Block> made = blocks();
  ASSERT_EQ(madvise(aligned, 2 * kHuge, MADV_HUGEPAGE), 0);
  EXPECT_TRUE(read_until(made, {aligned, 2 * kHuge}, [&] {
    return memory::pages_by_node(nodes_of_pages(aligned, kHuge)).size() == 1 &&
           memory::pages_by_node(nodes_of_pages(aligned + kHuge, kHuge)).size() == 1;
  })) << "khugepaged gathered nothing: this test shows nothing";
  expect_in_place(made);
  write_file(folder + "scan_sleep_millisecs", "10000");
}

}  // namespace
}  // namespace Atoll::guest
