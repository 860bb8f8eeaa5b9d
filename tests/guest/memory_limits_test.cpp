// Available memory: cgroup limits are respected, and file cache is reclaimed.
#include <fcntl.h>
#include <numaif.h>
#include <sys/stat.h>
#include <unistd.h>

#include "atoll/base/error.hpp"
#include "guest_system.hpp"

namespace Atoll::guest {
namespace {

using memory::Block;
using memory::Interleaved;
using memory::OnNode;
using memory::WhenFull;

using LimitsInGuest = MemoryInGuest;

TEST_F(LimitsInGuest, ACgroupsLimit) {
  const std::string top = "/sys/fs/cgroup/", outer = top + "outer/", inner = outer + "inner/";
  const std::string me = std::to_string(getpid());
  write_file(top + "cgroup.subtree_control", "+memory");
  ASSERT_EQ(mkdir(outer.c_str(), 0755), 0);
  write_file(outer + "cgroup.subtree_control", "+memory");
  ASSERT_EQ(mkdir(inner.c_str(), 0755), 0);
  write_file(outer + "memory.max", std::to_string(64 * kMiB));  // the outer cgroup's limit applies
  write_file(inner + "cgroup.procs", me);
  const auto expect_refused = [&](std::size_t bytes) {
    try {
      const Block block(context_, bytes, Interleaved{nodes_, kPage}, PageSize::small);
      ADD_FAILURE() << "placed";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("the cgroup has only"), std::string::npos)
          << error.what();
    }
  };
  for (int round = 0; round < 3; ++round) {
    expect_refused(64 * kMiB);
    for (const PageSize size : {PageSize::small, PageSize::huge}) {
      const Block block(context_, 40 * kMiB, OnNode{nodes_[1]}, size);
      EXPECT_EQ(block.where(), block.wished());
      expect_refused(30 * kMiB);
    }
  }
  EXPECT_EQ(figure(outer + "memory.events", "oom"), 0U);
  EXPECT_EQ(figure(outer + "memory.events", "oom_kill"), 0U);
  write_file(top + "cgroup.procs", me);
  EXPECT_EQ(rmdir(inner.c_str()), 0);
  EXPECT_EQ(rmdir(outer.c_str()), 0);
}

TEST_F(LimitsInGuest, FileCacheIsTakenBackBeforeItSpills) {
  const NodeId node = nodes_[2];
  const std::string meminfo =
      "/sys/devices/system/node/node" + std::to_string(node.value) + "/meminfo";
  const std::uint64_t total = figure(meminfo, "MemTotal");
  const auto before = memory::system_backend().available(PageSize::small);

  // A RAM disk of zeros (the module brd). Reading it fills the page cache, which is kept while the
  // disk is open.
  const int disk = open("/dev/ram0", O_RDONLY);
  ASSERT_GE(disk, 0);
  const unsigned long mask = 1UL << node.value;
  ASSERT_EQ(set_mempolicy(MPOL_PREFERRED, &mask, 65), 0);
  std::vector<char> buffer(kMiB);
  for (std::size_t read_bytes = 0; read_bytes < total / 10 * 9; read_bytes += kMiB)
    ASSERT_EQ(read(disk, buffer.data(), buffer.size()), static_cast<ssize_t>(buffer.size()));
  ASSERT_EQ(set_mempolicy(MPOL_DEFAULT, nullptr, 0), 0);
  EXPECT_LT(figure(meminfo, "MemFree"), total / 5);

  const auto now = memory::system_backend().available(PageSize::small);
  EXPECT_GT(now.bytes_by_node.at(node), before.bytes_by_node.at(node) / 10 * 8);
  EXPECT_GT(now.bytes_in_all, before.bytes_in_all / 10 * 8);
  // The machine description that policies use agrees with the kernel's own figures.
  const std::uint64_t kernels = figure(meminfo, "MemFree") + figure(meminfo, "Active(file)") +
                                figure(meminfo, "Inactive(file)");
  const std::uint64_t told = *Machine::this_computer().memory(node).free_bytes;
  EXPECT_LT(told, kernels);
  EXPECT_GT(told, kernels / 10 * 8);
  const std::size_t bytes = total / 2 / kHuge * kHuge;
  for (const PageSize size : {PageSize::small, PageSize::huge}) {
    const Block block(context_, bytes, OnNode{node}, size, WhenFull::refuse);
    EXPECT_EQ(block.where(), block.wished());
    // The first allocation reclaimed the cache. For the second one, memory is already free.
    if (size == PageSize::small) {
      EXPECT_LT(figure(meminfo, "MemFree"), total / 5);
    }
  }
  close(disk);
}

}  // namespace
}  // namespace Atoll::guest
