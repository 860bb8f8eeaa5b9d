// Nodes of a fake system, as used by sampling and by the migrator.
#include "recording/sample/nodes.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "temporary_folder.hpp"

namespace Atoll::recording::sample {
namespace {

TEST(Nodes, OfAnImitatedSystem) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    const fs::path file = folder / ("sys/devices/system/node/" + name);
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  };
  fs::create_directories(folder / "proc/self");
  std::ofstream(folder / "proc/self/status") << "Mems_allowed_list:\t0-2\n";
  std::ofstream(folder / "proc/meminfo") << "MemTotal: 32000 kB\nMemAvailable: 20 kB\n";
  write("online", "0-2\n");
  write("has_memory", "0,2\n");
  write("node0/cpulist", "0-1,4\n");
  write("node1/cpulist", "2-3\n");
  write("node2/cpulist", "\n");
  write("node0/meminfo",
        "Node 0 MemTotal:  16000 kB\nNode 0 MemFree:    1000 kB\n"
        "Node 0 Active(file):  1000 kB\nNode 0 Inactive(file): 5000 kB\n");
  write("node2/meminfo", "Node 2 MemTotal:  16000 kB\nNode 2 MemFree:     900 kB\n");
  const Nodes nodes(folder.path());
  EXPECT_EQ(nodes.end(), 3);
  EXPECT_EQ(nodes.count(), 2);
  EXPECT_EQ(nodes.of_unit(4), 0);
  EXPECT_EQ(nodes.of_unit(3), 1);
  EXPECT_EQ(nodes.of_unit(99), -1);
  // Room is free memory plus file cache, minus 1/16 of the node's memory, in pages of 4 KiB.
  EXPECT_EQ(nodes.room(), (std::vector<std::uint64_t>{(1000 + 6000 - 1000) / 4, 0, 0}));
}

}  // namespace
}  // namespace Atoll::recording::sample
