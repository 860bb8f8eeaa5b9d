// Address ranges of objects with their lifetimes, and look-ups of the object of an access.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "atoll/recording/objects_by_time.hpp"
#include "recording/objects/object_ranges.hpp"

namespace Atoll::recording {
namespace {

Recording recording_of(ObjectRanges& ranges, std::size_t processes = 1) {
  Recording recording;
  recording.processes.resize(processes);
  recording.ranges = ranges.take();
  return recording;
}

TEST(ObjectRanges, AnAddressIsTheObjectsThatHasItThen) {
  ObjectRanges ranges(1);
  ranges.put(0, 100, 200, 1, 5);
  ranges.remove(0, 100, 200, 8);
  ranges.put(0, 100, 300, 2, 9);   // the addresses are reused
  ranges.put(0, 150, 160, 3, 12);  // replaces a part of object 2
  ranges.remove(0, 250, 300, 14);  // unmaps a part of object 2
  const Recording recording = recording_of(ranges);
  const ObjectsByTime objects(recording);
  const auto at = [&](std::uint64_t address, std::uint64_t clock) {
    const ObjectsByTime::Found found = objects.find(0, address, clock);
    EXPECT_LE(found.count, 1U);
    return found.count == 0 ? kNone : found.object;
  };
  EXPECT_EQ(at(100, 4), kNone);
  EXPECT_EQ(at(100, 5), 1U);
  EXPECT_EQ(at(199, 7), 1U);
  EXPECT_EQ(at(200, 7), kNone);
  EXPECT_EQ(at(100, 8), kNone);
  EXPECT_EQ(at(100, 9), 2U);
  EXPECT_EQ(at(155, 11), 2U);
  EXPECT_EQ(at(155, 12), 3U);
  EXPECT_EQ(at(160, 12), 2U);
  EXPECT_EQ(at(260, 13), 2U);
  EXPECT_EQ(at(260, 14), kNone);
  EXPECT_EQ(at(249, 1000), 2U);
}

TEST(ObjectRanges, WhatIsToldLateWasThereBeforeWhereNothingElseWas) {
  ObjectRanges ranges(1);
  ranges.put(0, 100, 200, 1, 3);
  ranges.remove(0, 100, 200, 4);
  ranges.put_preexisting(0, 50, 250, 2, 10);  // a module, which existed before
  ranges.put_inside(0, 90, 110, 3);           // a variable in that module
  const Recording recording = recording_of(ranges);
  const ObjectsByTime objects(recording);
  EXPECT_EQ(objects.find(0, 60, 0).object, 2U);
  EXPECT_EQ(objects.find(0, 95, 0).object, 3U);
  EXPECT_EQ(objects.find(0, 105, 0).count, 0U);
  EXPECT_EQ(objects.find(0, 105, 3).object, 1U);
  EXPECT_EQ(objects.find(0, 105, 10).object, 3U);
  EXPECT_EQ(objects.find(0, 150, 10).object, 2U);
  EXPECT_EQ(objects.find(0, 240, 0).object, 2U);
}

TEST(ObjectRanges, AForkedChildHasItsParentsMemoryAsOfTheFork) {
  ObjectRanges ranges(2);
  ranges.put(0, 100, 200, 1, 1);
  ranges.remove(0, 100, 200, 6);  // after the fork
  ranges.put(0, 100, 200, 2, 7);
  ranges.put(1, 150, 160, 3, 9);
  ranges.remove(1, 150, 160, 11);
  Recording recording = recording_of(ranges, 2);
  recording.processes[1].id = 1;
  recording.processes[1].parent = 0;
  recording.processes[1].forked_after = 5;
  const ObjectsByTime objects(recording);
  EXPECT_EQ(objects.find(1, 155, 8).object, 1U);
  EXPECT_EQ(objects.find(1, 155, 9).object, 3U);
  EXPECT_EQ(objects.find(1, 170, 1000).object, 1U);
  EXPECT_EQ(objects.find(0, 170, 1000).object, 2U);
  recording.processes[1].forked_after = kNoEvent;  // simulates that process 1 called exec
  EXPECT_EQ(ObjectsByTime(recording).find(1, 170, 10).count, 0U);
}

TEST(ObjectRanges, OfSeveralObjectsAllAreCounted) {
  Recording recording;
  recording.processes.resize(1);
  recording.ranges = {
      {0, 1, 100, 200, 0, 50}, {0, 2, 150, 300, 10, kNoEvent}, {0, 3, 150, 160, 20, 30}};
  const ObjectsByTime objects(recording);
  EXPECT_EQ(objects.find(0, 155, 9).count, 1U);
  EXPECT_EQ(objects.find(0, 155, 10).count, 2U);
  EXPECT_EQ(objects.find(0, 155, 25).count, 3U);
  EXPECT_EQ(objects.find(0, 155, 30).count, 2U);
  EXPECT_EQ(objects.find(0, 155, 50).count, 1U);
}

/// Compares with brute force: the owner of every byte after every event, and the bounds of each
/// result.
TEST(ObjectRanges, AgreeWithAMapOfBytes) {
  constexpr std::uint64_t kBytes = 40, kEvents = 400;
  std::mt19937 random(7);
  ObjectRanges ranges(1);
  std::vector<std::vector<std::uint32_t>> owners;  // indexed by clock, then byte
  owners.emplace_back(kBytes, kNone);
  for (std::uint64_t clock = 1; clock <= kEvents; ++clock) {
    std::vector<std::uint32_t> now = owners.back();
    std::uint64_t begin = random() % kBytes, end = random() % (kBytes + 1);
    if (begin > end) std::swap(begin, end);
    const bool removes = random() % 3 == 0;
    const auto object = static_cast<std::uint32_t>(clock);
    if (removes)
      ranges.remove(0, begin, end, clock);
    else
      ranges.put(0, begin, end, object, clock);
    for (std::uint64_t i = begin; i < end; ++i) now[i] = removes ? kNone : object;
    owners.push_back(now);
  }
  const Recording recording = recording_of(ranges);
  const ObjectsByTime objects(recording);
  for (std::uint64_t clock = 0; clock <= kEvents; ++clock)
    for (std::uint64_t byte = 0; byte < kBytes; ++byte) {
      const ObjectsByTime::Found found = objects.find(0, byte, clock);
      ASSERT_EQ(found.count == 0 ? kNone : found.object, owners[clock][byte]);
      ASSERT_TRUE(found.begin <= byte && byte < found.end);
      ASSERT_TRUE(found.from <= clock && clock < found.until);
      for (std::uint64_t other : {found.begin, std::min(found.end, kBytes) - 1})
        ASSERT_EQ(owners[clock][other], owners[clock][byte]);
      for (std::uint64_t other : {found.from, std::min(found.until, kEvents + 1) - 1})
        ASSERT_EQ(owners[other][byte], owners[clock][byte]);
    }
}

}  // namespace
}  // namespace Atoll::recording
