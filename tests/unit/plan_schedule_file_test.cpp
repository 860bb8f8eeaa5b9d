// Schedule files: written schedules can be read back. A file that is truncated, modified or lists a
// task twice is refused in one line; so are places that the machine lacks.
#include "atoll/plan/schedule_file.hpp"

#include <gmock/gmock.h>
#include <xxhash.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>

#include "atoll/base/error.hpp"
#include "temporary_folder.hpp"

namespace Atoll {
namespace {

using testing::HasSubstr;

Schedule two_loops() {
  return {{{0, NodeId{0}}, {1, NodeId{1}}},
          {{"rows",
            5,
            2,
            0x1234,
            {0, 1, 3},
            {1, 2, 0},
            SchedulePrediction{2, 3, 0},
            SchedulePrediction{2, 0.5, 4}},
           {"columns of the matrix", 4, 1, 0, {0, 0, 4}, {3, 0, 2, 1}}}};
}

std::vector<std::byte> bytes_of(const Schedule& schedule) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "s";
  write_schedule(schedule, path);
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string refusal(std::span<const std::byte> bytes) {
  try {
    (void)schedule_from_bytes(bytes, "s");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::input);
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    return error.what();
  }
  return "none";
}

/// Overwrites the bytes at `offset` and recomputes the checksum. Returns the refusal.
template <class Value>
std::string refusal_with(std::size_t offset, Value value) {
  auto bytes = bytes_of(two_loops());
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  const std::uint64_t checksum = XXH3_64bits(bytes.data() + 48, bytes.size() - 48);
  std::memcpy(bytes.data() + 24, &checksum, sizeof checksum);
  return refusal(bytes);
}

TEST(ScheduleFile, IsReadAsItWasWritten) {
  EXPECT_EQ(schedule_from_bytes(bytes_of(two_loops()), "s"), two_loops());
  const Schedule none{{{3, NodeId{0}}}, {}};
  EXPECT_EQ(schedule_from_bytes(bytes_of(none), "s"), none);
  const Schedule empty_loop{{{3, NodeId{0}}}, {{"", 0, 7, 0, {0, 0}, {}}}};
  EXPECT_EQ(schedule_from_bytes(bytes_of(empty_loop), "s"), empty_loop);
  std::mt19937 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    Schedule schedule;
    const std::uint32_t threads = 1 + static_cast<std::uint32_t>(random()) % 5;
    for (std::uint32_t i = 0; i < threads; ++i)
      schedule.places.push_back({static_cast<int>(i), NodeId{i / 2}});
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(random()) % 4; ++i) {
      ScheduledLoop loop{std::string(random() % 20, static_cast<char>('a' + i)) + char('0' + i),
                         random() % 100,
                         1 + random() % 7,
                         random(),
                         {0},
                         {}};
      loop.tasks.resize(loop.task_count());
      std::iota(loop.tasks.begin(), loop.tasks.end(), 0U);
      std::shuffle(loop.tasks.begin(), loop.tasks.end(), random);
      for (std::uint32_t thread = 1; thread < threads; ++thread)
        loop.begin.push_back(loop.begin.back() +
                             random() % (loop.tasks.size() - loop.begin.back() + 1));
      loop.begin.push_back(loop.tasks.size());
      schedule.loops.push_back(std::move(loop));
    }
    EXPECT_EQ(schedule_from_bytes(bytes_of(schedule), "s"), schedule);
  }
}

TEST(ScheduleFile, AFileThatIsCutShortIsRefused) {
  const auto bytes = bytes_of(two_loops());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THAT(refusal(std::span(bytes).first(length)),
                HasSubstr(length < 8 ? "is no schedule" : "is cut short"));
}

TEST(ScheduleFile, AnyChangedByteIsNoticed) {
  const auto bytes = bytes_of(two_loops());
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const unsigned bit : {1U, 0x80U}) {
      auto changed = bytes;
      changed[at] ^= std::byte(bit);
      EXPECT_NE(refusal(changed), "none") << at;
    }
  auto longer = bytes;
  longer.push_back({});
  EXPECT_EQ(refusal(longer), "s: is damaged: it has " + std::to_string(longer.size()) +
                                 " bytes of " + std::to_string(bytes.size()));
}

TEST(ScheduleFile, WhatAWriterCannotMeanIsRefusedThoughTheChecksumIsRight) {
  // Layout of the file: header 48 bytes, two places of 16, at 80 the first loop with its name (8
  // bytes) and begins (24), tasks from 176.
  EXPECT_EQ(refusal_with(176, 2), "s: loop 'rows': lists task 2 twice");
  EXPECT_EQ(refusal_with(176, 3), "s: loop 'rows': has no task 3; the last is 2");
  EXPECT_EQ(refusal_with(160, 9), "s: loop 'rows': thread 1 ends before it begins");
  EXPECT_EQ(refusal_with(72, 0), "s: loop 'rows': has chunks of no iteration");
  EXPECT_EQ(refusal_with(88, 5000), "s: has a loop's name of 5000 bytes; a name has 4096 at most");
  EXPECT_EQ(refusal_with(48, 0xFFFF'FFFF), "s: has a thread on no processing unit");
  EXPECT_EQ(refusal_with(8, 1), "s: has version 1; this program reads version 2: schedule again");
  EXPECT_EQ(refusal_with(12, 0x04030201), "s: was written in another byte order");
  EXPECT_EQ(refusal_with(40, 5000), "s: has 5000 loops; there are 4096 at most");
  EXPECT_EQ(refusal_with(40, 1), "s: is damaged: it goes on after its last loop");
  EXPECT_EQ(refusal_with(96, -1.0), "s: loop 'rows': has a prediction that is no time");
  EXPECT_EQ(refusal_with(104, std::numeric_limits<double>::infinity()),
            "s: loop 'rows': has a prediction that is no time");
  EXPECT_EQ(refusal_with(136, std::numeric_limits<double>::quiet_NaN()),
            "s: loop 'rows': has a prediction that is no time");
  EXPECT_EQ(refusal_with(32, 1000), "s: is cut short");
  EXPECT_EQ(refusal_with(168, 4'000'000), "s: is cut short");
}

TEST(ScheduleFile, OnlyWholeSchedulesAreWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "s";
  Schedule schedule = two_loops();
  schedule.loops[0].tasks[0] = 2;
  EXPECT_THROW(write_schedule(schedule, path), Error);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THROW(write_schedule(two_loops(), (folder.path() / "none" / "s").string()), Error);
}

TEST(ScheduleFile, WhatCannotBeReadIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW((void)read_schedule((folder.path() / "none").string()), Error);
  EXPECT_THROW((void)read_schedule(folder.path().string()), Error);
  std::ofstream(folder.path() / "text")
      << "no schedule at all, but long enough to hold a head of one\n";
  EXPECT_THROW((void)read_schedule((folder.path() / "text").string()), Error);
}

TEST(ScheduleFile, PlacesHaveToBeTheMachines) {
  const Machine machine = Machine::open("opteron-8x8");
  const auto told = [&](ThreadPlace place) -> std::string {
    try {
      check_places({{{0, NodeId{0}}, place}, {}}, machine, "s");
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(told({9, NodeId{1}}), "none");
  EXPECT_EQ(told({64, NodeId{0}}),
            "s: thread 1 is on processing unit 64, which opteron-8x8 hasn't got; schedule for that "
            "machine");
  EXPECT_THAT(told({9, NodeId{0}}), HasSubstr("on processing unit 9 of node 0, which"));
}

}  // namespace
}  // namespace Atoll
