// Sampling events with addresses, found in a fake /sys/bus/event_source/devices of other machines,
// and the permission to record page faults.
#include "recording/sample/perf_events.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "temporary_folder.hpp"

namespace Atoll::recording::sample {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

std::vector<Event> found_in(const Files& files) {
  const TemporaryFolder folder;
  for (const auto& [name, text] : files) {
    const fs::path path = folder / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }
  return address_events(folder.path());
}

const Files kCpu{{"cpu/type", "4"},
                 {"cpu/format/event", "config:0-7"},
                 {"cpu/format/umask", "config:8-15"},
                 {"cpu/format/ldlat", "config1:0-15"},
                 {"cpu/events/mem-stores", "event=0xd0,umask=0x82"}};

TEST(AddressEvents, IntelsLoadsAndStores) {
  Files files = kCpu;
  files["cpu/events/mem-loads"] = "event=0xcd,umask=0x1,ldlat=3";
  const auto events = found_in(files);
  ASSERT_EQ(events.size(), 2);
  EXPECT_EQ(
      events[0],
      (Event{
          .name = "cpu/mem-loads/", .type = 4, .config = 0x1cd, .config1 = 3, .hardware = true}));
  EXPECT_EQ(events[1],
            (Event{.name = "cpu/mem-stores/", .type = 4, .config = 0x82d0, .hardware = true}));
}

TEST(AddressEvents, ProcessorsThatWantAnotherEventToLead) {
  Files files = kCpu;
  files["cpu/events/mem-loads"] = "event=0xcd,umask=0x1";
  files["cpu/events/mem-loads-aux"] = "event=0x3,umask=0x82";
  const auto events = found_in(files);
  ASSERT_EQ(events.size(), 2);
  EXPECT_EQ(events[0].config1, 3) << "the latency that the kernel leaves open";
  ASSERT_EQ(events[0].leader.size(), 1);
  EXPECT_EQ(events[0].leader[0].config, 0x8203);
}

TEST(AddressEvents, AmdsOperations) {
  const auto events = found_in({{"ibs_op/type", "11"}, {"ibs_op/format/cnt_ctl", "config:19"}});
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(
      events[0],
      (Event{
          .name = "ibs_op//", .type = 11, .config = 1 << 19, .hardware = true, .amd_ibs = true}));
}

TEST(AddressEvents, HybridsHaveTwoKindsOfProcessor) {
  Files files;
  for (const auto& [name, text] : kCpu)
    for (const char* device : {"cpu_core", "cpu_atom"}) files[device + name.substr(3)] = text;
  const auto events = found_in(files);
  ASSERT_EQ(events.size(), 2);
  EXPECT_EQ(events[0].name, "cpu_core/mem-stores/");
  EXPECT_EQ(events[1].name, "cpu_atom/mem-stores/");
}

TEST(AddressEvents, BitsOfAFieldInSeveralPieces) {
  Files files = kCpu;
  files["cpu/format/umask"] = "config:8-11,40-43";
  const auto events = found_in(files);
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(events[0].config, (std::uint64_t{8} << 40) | 0x2d0);
}

TEST(AddressEvents, WhatIsNotUnderstoodIsSkipped) {
  EXPECT_TRUE(found_in({}).empty());
  EXPECT_TRUE(found_in({{"cpu/type", "4"}}).empty());
  EXPECT_TRUE(found_in({{"ibs_op/type", "many"}}).empty());
  for (const char* wrong :
       {"event=0xd0,umask=0x182", "event=0xd0,new=1", "event=?", "event=0xd0,umask="}) {
    Files files = kCpu;
    files["cpu/events/mem-stores"] = wrong;
    EXPECT_TRUE(found_in(files).empty()) << wrong;
  }
  for (const char* wrong : {"config:8-99", "config9:8-15", "8-15", "config:15-8", "config:x"}) {
    Files files = kCpu;
    files["cpu/format/umask"] = wrong;
    EXPECT_TRUE(found_in(files).empty()) << wrong;
  }
}

TEST(AddressEvents, AreOpenedPreciselyAndWithoutTheKernel) {
  Event event{.name = "cpu/mem-loads/", .type = 4, .config = 0x1cd, .config1 = 3, .hardware = true};
  const perf_event_attr intel = attributes(event, true);
  EXPECT_EQ(intel.precise_ip, 2);
  EXPECT_EQ(intel.exclude_kernel, 1);
  EXPECT_EQ(intel.sample_type & ~kSampleBits, 0);
  event.amd_ibs = true;
  EXPECT_EQ(attributes(event, false).exclude_kernel, 0) << "IBS can't tell";
  EXPECT_NE(attributes(event, false).sample_type & PERF_SAMPLE_RAW, 0);
}

TEST(Permission, AsTheSystemSays) {
  EXPECT_EQ(permission(-1, false), Permission::all);
  EXPECT_EQ(permission(1, false), Permission::all);
  EXPECT_EQ(permission(2, false), Permission::without_kernel);
  EXPECT_EQ(permission(3, false), Permission::none) << "Debian's default";
  EXPECT_EQ(permission(4, true), Permission::all) << "root, or CAP_PERFMON";
}

}  // namespace
}  // namespace Atoll::recording::sample
