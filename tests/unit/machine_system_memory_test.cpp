// Available memory, from files in the kernel's format in a temporary folder.
#include "machine/system_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "plan_machines.hpp"
#include "temporary_folder.hpp"

namespace Atoll::detail {
namespace {

namespace fs = std::filesystem;

class MachineSystemMemory : public testing::Test {
 protected:
  MachineSystemMemory() {
    write(
        "proc/meminfo",
        "MemTotal:       16777216 kB\nMemFree:         1048576 kB\nMemAvailable:    8388608 kB\n");
    write("proc/self/status", "Name:\tx\nMems_allowed:\t3\nMems_allowed_list:\t0-1,3\n");
    write("proc/zoneinfo",
          "Node 0, zone      DMA\n  pages free     2\n        min      1\n        low      2\n"
          "        high     256\n      nr_free_pages 1\n  pagesets\n    cpu: 0\n              "
          "count: 1\n"
          "              high:  7\nNode 0, zone    DMA32\n        high     256\n"
          "Node 1, zone   Normal\n        high     1024\n");
    write_node(0, 100 * 1024, 0, 0);
    write_node(1, 200 * 1024, 1024, 512 * 1024);
  }

  void write(const fs::path& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void write_node(int node, int free_kib, int active_kib, int inactive_kib) const {
    const std::string name = "Node " + std::to_string(node) + " ";
    write("sys/devices/system/node/node" + std::to_string(node) + "/meminfo",
          name + "MemTotal:       4942036 kB\n" + name +
              "MemFree:        " + std::to_string(free_kib) + " kB\n" + name +
              "Active(file):     " + std::to_string(active_kib) + " kB\n" + name +
              "Inactive(file):   " + std::to_string(inactive_kib) + " kB\n");
  }
  void write_group(const fs::path& folder, const std::string& limit, std::uint64_t used,
                   std::uint64_t cache) const {
    write(folder / "memory.max", limit + "\n");
    write(folder / "memory.current", std::to_string(used) + "\n");
    write(folder / "memory.stat",
          "anon 5\ninactive_file " + std::to_string(cache) + "\nactive_file 0\ninactive_anon 77\n");
  }
  [[nodiscard]] Available available() const {
    return SystemMemory(root_).available(PageSize::small);
  }

  const TemporaryFolder folder_;
  const fs::path& root_ = folder_.path();
};

TEST_F(MachineSystemMemory, NodesWithoutTheirReservesAndWithTheirFileCache) {
  const Available now = available();
  // subtracts the high watermarks of node 0's two zones, 256 pages each
  ASSERT_EQ(now.bytes_by_node.size(), 2U);  // node 3 is missing
  EXPECT_EQ(now.bytes_by_node.at(NodeId{0}), 100 * kMiB - 512 * 4096);
  // 200 MiB free + 513 MiB of file cache - the reserve - as much of the cache as the reserve
  EXPECT_EQ(now.bytes_by_node.at(NodeId{1}), (200 + 513) * kMiB - 2 * 1024 * 4096);
  EXPECT_EQ(now.bytes_in_all, now.bytes_by_node.at(NodeId{0}) + now.bytes_by_node.at(NodeId{1}));
  EXPECT_EQ(now.cgroup_bytes, UINT64_MAX);
}

TEST_F(MachineSystemMemory, TheMachineAsAWholeLimitsToo) {
  write_node(0, 7 * 1024 * 1024, 0, 0);
  write_node(1, 7 * 1024 * 1024, 0, 0);
  EXPECT_EQ(available().bytes_in_all, 8 * kGiB - 16 * kGiB / 64);
  write_node(0, 1, 0, 0);
  EXPECT_EQ(available().bytes_by_node.at(NodeId{0}), 0U);
}

TEST_F(MachineSystemMemory, NodesOutsideTheCpusetDoNotCount) {
  write("proc/self/status", "Mems_allowed_list:\t1\n");
  const Available now = available();
  ASSERT_EQ(now.bytes_by_node.size(), 1U);
  EXPECT_EQ(now.bytes_in_all, now.bytes_by_node.at(NodeId{1}));
}

TEST_F(MachineSystemMemory, ASystemThatTellsNoNodesHasOne) {
  fs::remove_all(root_ / "sys");
  const Available now = available();
  ASSERT_EQ(now.bytes_by_node.size(), 1U);
  EXPECT_EQ(now.bytes_by_node.at(NodeId{0}), now.bytes_in_all);
  EXPECT_EQ(now.bytes_in_all, 8 * kGiB - 16 * kGiB / 64);
}

TEST_F(MachineSystemMemory, CgroupsOfVersion2UpToTheRoot) {
  write("proc/self/cgroup", "0::/user/app\n");
  write("proc/self/mountinfo",
        "22 27 0:21 / /proc rw - proc proc rw\n"
        "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw\n");
  const fs::path top = "sys/fs/cgroup";
  write_group(top / "user/app", "max", 50 * kMiB, 0);
  EXPECT_EQ(available().cgroup_bytes, UINT64_MAX);
  write_group(top / "user", std::to_string(640 * kMiB), 100 * kMiB, 30 * kMiB);
  // limit - used + file cache - the file cache's margin - a margin of 1/64
  EXPECT_EQ(available().cgroup_bytes, (640 - 100 + 30 - 10 - 10) * kMiB);
  write_group(top / "user/app", std::to_string(64 * kMiB), 10 * kMiB, 0);
  EXPECT_EQ(available().cgroup_bytes, (64 - 10 - 1) * kMiB);
  write(top / "user/app/memory.high", std::to_string(32 * kMiB) + "\n");
  EXPECT_EQ(available().cgroup_bytes, (32 - 10 - 1) * kMiB);
  write_group(top / "user/app", std::to_string(64 * kMiB), 70 * kMiB, 0);
  EXPECT_EQ(available().cgroup_bytes, 0U);
}

TEST_F(MachineSystemMemory, CgroupsOfVersion1BesideAnEmptyVersion2) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/docker/abc\n");
  // in a container, only the container's part of the hierarchy is mounted, as the root
  write("proc/self/mountinfo",
        "31 23 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
        "33 31 0:30 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  const fs::path top = "sys/fs/cgroup/memory";
  write(top / "memory.limit_in_bytes", "9223372036854771712\n");
  write(top / "memory.usage_in_bytes", std::to_string(10 * kMiB) + "\n");
  write(top / "memory.stat", "inactive_file 1\ntotal_inactive_file 4194304\n");
  EXPECT_EQ(available().cgroup_bytes, UINT64_MAX);
  write(top / "memory.limit_in_bytes", std::to_string(64 * kMiB) + "\n");
  EXPECT_EQ(available().cgroup_bytes, (64 - 10 + 4 - 1 - 1) * kMiB);
}

TEST_F(MachineSystemMemory, ThisSystemHasMemory) {
  const Available now = SystemMemory().available(PageSize::small);
  EXPECT_GT(now.bytes_in_all, 16 * kMiB);
  EXPECT_FALSE(now.bytes_by_node.empty());
}

TEST_F(MachineSystemMemory, PoolsAreApartFromAllOtherMemory) {
  const auto pool = [&](int node, const char* size, const char* free) {
    write("sys/devices/system/node/node" + std::to_string(node) + "/hugepages/hugepages-" + size +
              "/free_hugepages",
          free);
  };
  pool(0, "2048kB", "7\n");
  pool(1, "2048kB", "5\n");
  pool(1, "1048576kB", "2\n");
  const SystemMemory memory(root_);
  const Available small = memory.available(PageSize::pool_2m);
  EXPECT_EQ(small.bytes_by_node,
            (std::map<NodeId, std::uint64_t>{{NodeId{0}, 14 * kMiB}, {NodeId{1}, 10 * kMiB}}));
  EXPECT_EQ(small.bytes_in_all, 24 * kMiB);
  EXPECT_EQ(small.cgroup_bytes, UINT64_MAX);
  const Available great = memory.available(PageSize::pool_1g);
  EXPECT_FALSE(great.bytes_by_node.contains(NodeId{0}));
  EXPECT_EQ(great.bytes_in_all, 2 * kGiB);
}

TEST_F(MachineSystemMemory, PoolsBeyondTheCapacityAreNotOurs) {
  write("sys/devices/system/node/node0/hugepages/hugepages-2048kB/free_hugepages", "7\n");
  Machine::Data data = test::machine_of({}).data();
  set_free_bytes(data, SystemMemory(root_));
  EXPECT_EQ(data.memories[0].free_2m_pages, 7U);
  for (MemoryNode& memory : data.memories) memory.capacity_bytes = 8 * kMiB;
  set_free_bytes(data, SystemMemory(root_));
  EXPECT_EQ(data.memories[0].free_2m_pages, 0U);
  const Machine container(std::move(data), "it is no contradiction");
}

class ABusyServer : public MachineSystemMemory {
 protected:
  // Two nodes of 64 GiB, each with 1 GiB free and 40 GiB of file cache. The reserve is 5 MiB.
  ABusyServer() {
    write("proc/meminfo",
          "MemTotal: 134217728 kB\nMemFree: 2097152 kB\nMemAvailable: 85899345 kB\n");
    for (const int node : {0, 1}) write_node(node, 1 << 20, 10 << 20, 30 << 20);
  }
  [[nodiscard]] Machine machine() const {
    Machine::Data data = test::machine_of({}).data();
    set_free_bytes(data, SystemMemory(root_));
    return {std::move(data), "test"};
  }
  /// Chooses a layout for a table of 16 GiB that is read randomly, so that a copy on each node
  /// saves time.
  [[nodiscard]] std::string choice(LayoutPolicy policy) const {
    const Machine now = machine();
    ArrayRequest table;
    table.name = "table";
    table.elements = 2 * kGiB;
    table.element_bytes = 8;
    table.pattern.accesses = {{false, Order::random, Formula::symbol("N") * Formula(100)}};
    ChoiceOptions options;
    options.policy = policy;
    options.bindings = {{"N", 2.0 * kGiB}};
    return to_string(
        choose_layouts({&table, 1}, now, compact_places(now, 8), options).front().layout);
  }
};

TEST_F(ABusyServer, FileCacheIsNoUsedMemory) {
  const Machine now = machine();
  EXPECT_EQ(now.memory(NodeId{0}).free_bytes, 41 * kGiB - 2 * 512 * 4096);
  EXPECT_EQ(now.memory(NodeId{1}).free_bytes, 41 * kGiB - 2 * 1024 * 4096);
  EXPECT_EQ(now.free_bytes(), 85899345 * kKiB - kGiB);
  for (const LayoutPolicy policy : {LayoutPolicy::cost, LayoutPolicy::shoal})
    EXPECT_EQ(choice(policy), "replicated on 0-1, 2 MiB pages") << to_string(policy);
}

TEST_F(ABusyServer, ACgroupLimitsAllCopiesTogether) {
  write("proc/self/cgroup", "0::/\n");
  write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  const auto limit = [&](std::uint64_t bytes) {
    write_group("sys/fs/cgroup", std::to_string(bytes), 0, 0);
  };
  limit(24 * kGiB);  // one copy fits, two don't
  EXPECT_EQ(machine().free_bytes(), 24 * kGiB - 24 * kGiB / 64);
  EXPECT_EQ(machine().memory(NodeId{1}).free_bytes, machine().free_bytes());
  for (const LayoutPolicy policy : {LayoutPolicy::cost, LayoutPolicy::shoal})
    EXPECT_EQ(choice(policy).find("replicated"), std::string::npos) << choice(policy);
  limit(34 * kGiB);
  for (const LayoutPolicy policy : {LayoutPolicy::cost, LayoutPolicy::shoal})
    EXPECT_EQ(choice(policy), "replicated on 0-1, 2 MiB pages") << to_string(policy);
  limit(12 * kGiB);
  for (const LayoutPolicy policy : {LayoutPolicy::cost, LayoutPolicy::shoal})
    EXPECT_THROW(static_cast<void>(choice(policy)), Error);
}

TEST_F(MachineSystemMemory, PoolsOfTheMachineAreThoseOfItsNodes) {
  write("sys/devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages", "7\n");
  write("sys/devices/system/node/node0/hugepages/hugepages-1048576kB/free_hugepages", "3\n");
  Machine::Data data = test::machine_of({}).data();
  set_free_bytes(data, SystemMemory(root_));
  EXPECT_EQ(data.memories[0].free_2m_pages, 0U);
  EXPECT_EQ(data.memories[1].free_2m_pages, 7U);
  EXPECT_EQ(data.memories[0].free_1g_pages, 3U);
  EXPECT_EQ(data.memories[1].free_1g_pages, 0U);
}

}  // namespace
}  // namespace Atoll::detail
